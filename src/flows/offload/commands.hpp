#pragma once

#include <vector>

#include "application/run.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::program {

/// The commands that a run enqueued, message by message.
struct Commands {
  using OfMessage = offload::Events;
  std::vector<OfMessage> in;
  std::vector<OfMessage> kernel;
  std::vector<OfMessage> out;
  std::vector<Moment> enqueued;  ///< times at which the host thread began with each message
  std::vector<Moment> there;     ///< times at which the host thread had each message back
  std::vector<Moment> ended;

  Commands() = default;
  /// Commands of so many messages, which may come in any order.
  explicit Commands(int messages)
      : in(static_cast<std::size_t>(messages)),
        kernel(in.size()),
        out(in.size()),
        enqueued(in.size()),
        there(in.size()),
        ended(in.size()) {}
};

/// The time that they took, from the first message's begin to the last one's end: those of each kind added up, and the
/// first messages step by step.
FlowTimes times_of(const Commands& commands);

/// The time for which host threads waited for messages, added up.
Time waited(const Commands& commands);

/// The time in which at least one command was under way.
Time under_way(const Commands& commands);

}  // namespace isthmus::program
