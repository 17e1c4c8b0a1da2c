#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "application/checker.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/base/worker.hpp"

namespace isthmus::program {

/// The messages of a model's run: drawn when they are asked for, and compared with the reference by a thread beside, in
/// their order from 0 on. They may finish in any order; one that has finished before an earlier one waits for it.
/// Memory of those that were compared is used again, so that none is copied. What that thread throws reaches the next
/// call.
class MessagesBeside final : public Exchange {
 public:
  MessagesBeside(const ByteApplication& application, Checker& checker) : application_(application), checker_(checker) {}

  std::span<const std::byte> input(int message) override;
  std::span<std::byte> output(int message) override;
  /// An input that nobody has asked for is drawn for the comparison.
  void finished(int message) override;
  /// Until all that has finished has been compared.
  void compare_rest() { worker_.finish(); }

 private:
  struct Room {
    std::vector<std::byte> in;
    std::vector<std::byte> out;
    bool drawn = false;
    bool ended = false;
  };

  Room& room(int message);
  /// The room of a message that was compared, or a new one.
  std::unique_ptr<Room> unused_room();
  void draw(int message, Room& to) const;

  const ByteApplication& application_;
  Checker& checker_;
  std::map<int, std::unique_ptr<Room>> under_way_;  ///< messages under way, or before one that is
  std::deque<std::unique_ptr<Room>> compared_;      ///< messages that are compared, or about to be, in order
  int next_ = 0;                                    ///< number of the next message to compare
  std::uint64_t reused_ = 0;
  Worker worker_;
};

}  // namespace isthmus::program
