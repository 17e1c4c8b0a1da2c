#pragma once

#include <cstdint>

#include "isthmus/engine/graph.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/pcie_interface.hpp"
#include "offload/model/command.hpp"

namespace isthmus::offload::model {

/// Channels between actors that stand for one part: a hand-over takes the least time that there is.
inline constexpr ChannelOptions kAtOnce{.latency_time = kHandOver, .return_latency_time = kHandOver};

/// What an actor has the coarse device do.
struct TurnCall {
  Command* command;     ///< by its token; null: a copy by a host thread's core
  std::uint64_t bytes;  ///< of a copy
};

struct TurnReply {
  Time takes;
};

/// How an actor lets the time pass that something takes.
class Turn {
 public:
  PortArray<Out<TurnCall>> calls;
  PortArray<In<TurnReply>> replies;

  explicit Turn(bool taken) : calls(taken ? 1 : 0, "calls"), replies(taken ? 1 : 0, "replies") {}
  bool taken() const { return !calls.empty(); }
  void take(const TurnCall& call);

 private:
  Timer timer_;
};

}  // namespace isthmus::offload::model
