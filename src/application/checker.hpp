#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "isthmus/application/application.hpp"

namespace isthmus::program {

/// Compares outputs with the reference as they come, byte for byte.
class Checker {
 public:
  /// `progress` is called with the number of messages that have been compared; none if nobody asks.
  Checker(const ByteApplication& application, std::function<void(int)> progress);
  void check(int message, std::span<const std::byte> in, std::span<const std::byte> out);
  std::optional<Difference> difference() const { return differences_.found(); }

 private:
  /// An output that has ended early, with zeros behind it.
  std::span<const std::byte> filled_up(std::span<const std::byte> out);

  const ByteApplication& application_;
  std::function<void(int)> progress_;
  int checked_ = 0;
  std::vector<std::byte> filled_;
  std::vector<std::byte> expected_;
  Differences differences_;
};

}  // namespace isthmus::program
