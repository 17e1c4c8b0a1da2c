#pragma once

#include <span>
#include <vector>

#include "isthmus/base/worker.hpp"
#include "isthmus/program/exchange.hpp"
#include "program/checker.hpp"

namespace isthmus::program {

/// The messages of a model's run: drawn when they are asked for, and compared with the reference by a thread beside, in
/// their order. Memory for a few of them is used in turn, so that none is copied. Messages finish in their order from 0
/// on. What that thread throws reaches the next call.
class MessagesBeside final : public Exchange {
 public:
  MessagesBeside(const ByteApplication& application, Checker& checker);

  std::span<const std::byte> input(int message) override;
  std::span<std::byte> output(int message) override;
  /// An input that nobody has asked for is drawn for the comparison.
  void finished(int message) override;
  /// Until all that has finished has been compared.
  void compare_rest() { worker_.finish(); }

 private:
  struct Slot {
    std::vector<std::byte> in;
    std::vector<std::byte> out;
    int drawn = -1;  ///< the message that `in` holds
  };

  Slot& slot(int message);
  void draw(int message, Slot& to) const;

  const ByteApplication& application_;
  Checker& checker_;
  std::vector<Slot> slots_;
  Worker worker_;
};

}  // namespace isthmus::program
