#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace isthmus::reference {

/// What was drawn, each from the lowest that it could have been: smaller ones make what is drawn simpler.
using Choices = std::vector<std::uint64_t>;

/// Random choices that are the same on every machine (the standard's distributions are not).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed * 2 + 1) {}
  /// Makes these choices, and then the lowest.
  explicit Dice(Choices choices) : given_(std::move(choices)) {}
  /// In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto values = static_cast<std::uint64_t>(high - low) + 1;
    made_.push_back((given_ ? next_given() : random_()) % values);
    return low + static_cast<std::int64_t>(made_.back());
  }
  int number(int low, int high) { return static_cast<int>(between(low, high)); }
  bool chance(int percent) { return number(1, 100) > 100 - percent; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + between(0, static_cast<std::int64_t>(list.size()) - 1));
  }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(list.size()) - 1))];
  }

  const Choices& made() const { return made_; }

 private:
  std::uint64_t next_given() const { return made_.size() < given_->size() ? (*given_)[made_.size()] : 0; }

  std::mt19937_64 random_;
  std::optional<Choices> given_;
  Choices made_;
};

}  // namespace isthmus::reference
