#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kNetworkKeys = std::to_array<Key>({
    {"rate", bandwidth, 1e6, 1e12, "line rate of a port of the board, each direction"},
    {"latency", time, ns, 1000 * us,
     "from the last bit of a packet on the wire of one end to its hand-over at the other: both ends' physical layers "
     "and MACs, and what lies between"},
    {"overhead", bytes, 0, 64, "bytes that a frame adds to its packet on the wire: preamble, check sequence, gap",
     kLessIsFaster},
    {"least", bytes, 0, 512, "smallest size of a packet; a shorter one is padded", kLessIsFaster},
});

}  // namespace

const PartKind kNetwork{.section = "network", .meaning = "a network port of the board", .keys = kNetworkKeys};

fabric::NetworkSpec network_spec(const Section& network) {
  return {.rate = network.bandwidth("rate"),
          .latency = network.time("latency"),
          .overhead = network.bytes("overhead"),
          .least = network.bytes("least")};
}

}  // namespace isthmus::platform::kinds
