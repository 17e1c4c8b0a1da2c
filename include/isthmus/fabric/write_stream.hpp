#pragma once

#include <cstdint>
#include <optional>

namespace isthmus::fabric {

/// Recognizes long sequences of stores, as a core does: after a number of whole lines have been written one after the
/// other, the core's caches do not keep the next lines of the sequence (Arm Cortex-A53 manual: write streaming).
class WriteStream {
 public:
  /// Without a threshold, everything is kept.
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
