#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kInterconnectKeys = std::to_array<Key>({
    {"latency", time, 4 * ns, us, "time of a message between the processor's caches and the interconnect, and back"},
    {"snoop_interval", time, 100e-12, us, "time from one snoop of the processor's caches to the next"},
    {"snoop_data", time, ns, 10 * us, "additional time of a snoop answer with the line's bytes"},
    {"snoop_data_in_flight", count, 1, 64, "snoop answers with bytes under way"},
});

}  // namespace

const PartKind kInterconnect{.section = "interconnect",
                             .meaning = "what keeps a processor's caches coherent with the ports that snoop them",
                             .keys = kInterconnectKeys};

fabric::SnoopPortSpec snoop_port_spec(const Section& interconnect) {
  return {.interval = interconnect.time("snoop_interval"),
          .data = interconnect.time("snoop_data"),
          .data_in_flight = interconnect.count("snoop_data_in_flight")};
}

}  // namespace isthmus::platform::kinds
