#pragma once

#include <cstdint>
#include <optional>

namespace isthmus::fabric {

/// How a core tells long sequences of stores: once so many whole lines have been written one after the other, the next
/// ones of the sequence are not kept in its caches (Arm Cortex-A53 manual: write streaming).
class WriteStream {
 public:
  /// None: everything is kept.
  explicit WriteStream(std::optional<std::uint64_t> threshold) : threshold_(threshold) {}

  /// Tells whether the line, which is written whole now, is kept.
  bool keeps(std::uint64_t line) {
    run_ = line == next_ ? run_ + 1 : 1;
    next_ = line + 1;
    return !threshold_ || run_ <= *threshold_;
  }

 private:
  std::optional<std::uint64_t> threshold_;
  std::uint64_t next_ = ~std::uint64_t{0};  ///< line that would continue the sequence
  std::uint64_t run_ = 0;                   ///< lines of the sequence so far
};

}  // namespace isthmus::fabric
