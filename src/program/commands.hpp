#pragma once

#include <vector>

#include "isthmus/offload/device.hpp"
#include "program/run.hpp"

namespace isthmus::program {

/// The commands that a run enqueued, message by message.
struct Commands {
  using OfMessage = std::vector<offload::Event>;
  std::vector<OfMessage> in;
  std::vector<OfMessage> kernel;
  std::vector<OfMessage> out;
  std::vector<Time> enqueued{};  ///< when the host thread began with each message
  std::vector<Time> ended{};
};

/// What they took: those of each kind added up, and the first messages step by step.
FlowTimes times_of(const Commands& commands, Time start, Time end);

}  // namespace isthmus::program
