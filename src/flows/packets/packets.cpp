#include "flows/packets/packets.hpp"

#include <array>
#include <string_view>

#include "flows/packets/native_packets.hpp"
#include "flows/packets/stream_packets.hpp"
#include "flows/threads/native.hpp"

namespace isthmus::program {
namespace {

constexpr std::array<std::string_view, 2> kNeeds = {"network", "kernel"};

// A network does not send again what it lost, and has no TLPs.
constexpr std::array kFaults = {kStall, kCorrupt, kDie};

}  // namespace

ThroughActors packets_through_actors() {
  return {.needs = kNeeds,
          .on_board = run_packets_on_board,
          .on_threads = run_packets_on_threads,
          .board_faults = kFaults,
          .thread_faults = kThreadFaults};
}

}  // namespace isthmus::program
