#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kNumaKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether devices reach memory of another socket than their links"},
    {"distance", count, 1, 8, "number of links between sockets on the way to the memory", kIfEnabled | kLessIsFaster},
    {"rate", bandwidth, 0.1 * kGB, 1000 * kGB, "data rate of such a link in each direction", kIfEnabled},
    {"latency", time, ns, 10 * us,
     "time that such a link adds to a round trip, there and back together, without the time of the data", kIfEnabled},
});

}  // namespace

const PartKind kNuma{.section = "host.numa",
                     .meaning = "the links between the host's sockets, where memory is of another one",
                     .keys = kNumaKeys};

fabric::SocketLinkSpec socket_link_spec(const Section& numa) {
  return {.hops = numa.count("distance"), .rate = numa.bandwidth("rate"), .latency = numa.time("latency")};
}

}  // namespace isthmus::platform::kinds
