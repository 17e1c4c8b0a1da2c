#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/messages.hpp"

namespace isthmus::fabric {

/// The lines of a cache with their states and bytes. A line lies in set number modulo sets; what makes way is an
/// invalid one, else the one used least recently, or any.
class LineStore {
 public:
  struct Way {
    std::uint64_t line = 0;
    std::uint64_t used = 0;
    LineState state = LineState::invalid;
    bool awaited = false;  ///< whether a grant for the line is under way, so the line cannot be evicted
  };

  /// `size` in whole sets of `ways` lines. Where `random` is given it draws which valid line makes way.
  LineStore(Bytes size, int ways, int line_bytes, Random* random = nullptr);

  /// The way that has the line, valid or awaited; null where none does.
  Way* find(std::uint64_t line) {
    for (Way& way : set_of(line))
      if (way.line == line && (way.state != LineState::invalid || way.awaited)) return &way;
    return nullptr;
  }
  /// The way that a line which is not held gets; null while all are awaited.
  Way* victim(std::uint64_t line);
  void use(Way& way) { way.used = ++uses_; }

  std::byte* bytes(const Way& way) { return data_.get() + static_cast<std::size_t>(&way - ways_.data()) * line_bytes_; }
  /// All ways, valid or not.
  std::span<const Way> all() const { return ways_; }
  const std::byte* bytes_of(const Way& way) const {
    return data_.get() + static_cast<std::size_t>(&way - ways_.data()) * line_bytes_;
  }

 private:
  std::span<Way> set_of(std::uint64_t line) {
    const std::uint64_t set = mask_ != 0 ? line & mask_ : line % sets_;
    return std::span(ways_).subspan(set * in_set_, in_set_);
  }

  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::uint64_t sets_;
  std::uint64_t mask_;  ///< replaces a division by `sets_` if that is a power of two; else 0
  std::size_t in_set_;
  std::size_t line_bytes_;
  Random* random_;
  std::uint64_t uses_ = 0;
  std::vector<Way> ways_;
  std::unique_ptr<std::byte[], Free> data_;  ///< touched only when used, so a large cache starts at once
};

/// A first-in, first-out queue of bounded size.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t most) : places_(most) {}
  bool empty() const { return count_ == 0; }
  const T& front() const { return places_[first_]; }
  void push(const T& value) {
    const std::size_t at = first_ + count_++;
    places_[at < places_.size() ? at : at - places_.size()] = value;
  }
  void pop() {
    if (++first_ == places_.size()) first_ = 0;
    --count_;
  }

 private:
  std::vector<T> places_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// Places 0 to `count` - 1 that are taken and given back, the last given first.
class Places {
 public:
  explicit Places(std::size_t count);
  bool any() const { return !free_.empty(); }
  std::uint16_t take() {
    const std::uint16_t place = free_.back();
    free_.pop_back();
    return place;
  }
  void give(std::uint16_t place) { free_.push_back(place); }

 private:
  std::vector<std::uint16_t> free_;
};

}  // namespace isthmus::fabric
