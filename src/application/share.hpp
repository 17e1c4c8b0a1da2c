#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace isthmus::program {

/// The messages of a batch that go over one of the links that share it: each link takes the next that none has taken,
/// so that a copy of the kernel on a slower core takes fewer. One thread takes; others may ask.
class Share {
 public:
  /// `next`, which all shares of the batch count up, is the message to be taken next of the `count`; this share takes
  /// `most` of them at most.
  Share(std::atomic<int>& next, int count, int most)
      : next_(next), count_(count), numbers_(static_cast<std::size_t>(most)) {}

  /// Takes a message; false from then on where there is none.
  bool take() {
    const auto at = static_cast<std::size_t>(taken());
    const int number = at < numbers_.size() ? next_.fetch_add(1, std::memory_order_relaxed) : count_;
    if (number >= count_) {
      ended_.store(true, std::memory_order_release);
      return false;
    }
    numbers_[at] = number;
    taken_.store(taken() + 1, std::memory_order_relaxed);
    return true;
  }

  /// As many as it may take.
  int most() const { return static_cast<int>(numbers_.size()); }
  int taken() const { return taken_.load(std::memory_order_relaxed); }
  /// Whether it takes no more.
  bool ended() const { return ended_.load(std::memory_order_acquire); }
  /// The number of the i-th message; for who has that message, or an output of it.
  int number(int i) const { return numbers_[static_cast<std::size_t>(i)]; }
  /// The numbers of all that it has taken, after the run.
  std::span<const int> numbers() const { return std::span(numbers_).first(static_cast<std::size_t>(taken())); }

 private:
  std::atomic<int>& next_;
  int count_;
  std::vector<int> numbers_;
  std::atomic<int> taken_ = 0;
  std::atomic<bool> ended_ = false;
};

}  // namespace isthmus::program
