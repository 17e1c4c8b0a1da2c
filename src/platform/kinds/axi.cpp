#include <fmt/format.h>

#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kAxiKeys = std::to_array<Key>({
    {"data_width", bytes, 4, 128, "width of the AXI data path between kernel and controller, each direction",
     kPowerOfTwo},
    {"clock", frequency, MHz, 2000 * MHz, "clock of that path"},
    {"burst", count, 1, 256, "beats of one AXI burst that a kernel asks for"},
    {"outstanding", count, 1, 1024, "AXI bursts that a kernel has under way, reads and writes each"},
    {"latency", time, 0, 100 * us, "time that the way through the AXI interconnect and back adds to an access"},
});

}  // namespace

const PartKind kAxi{.section = "device.axi",
                    .meaning = "the interconnect between a kernel, the DMA engine and the controllers of the DRAM",
                    .keys = kAxiKeys};

fabric::AxiSpec axi_spec(const Section& axi) {
  const Bytes width = axi.bytes("data_width");
  const Bytes burst{axi.count("burst") * width.count};
  if (burst.count > static_cast<std::int64_t>(fabric::kLongestAxiBurst) || (burst.count & (burst.count - 1)) != 0)
    refuse(axi.place_of("burst"), axi.name_of("burst"),
           fmt::format("beats that make a power of two up to {} B", fabric::kLongestAxiBurst),
           fmt::format("{} B", burst.count));
  if (burst.count < kWordBytes)  // what links and streams move at once
    refuse(axi.place_of("burst"), axi.name_of("burst"), fmt::format("beats that make at least {} B", kWordBytes),
           fmt::format("{} B", burst.count));
  return {.width = width,
          .clock = axi.frequency("clock"),
          .latency = axi.time("latency"),
          .burst = burst,
          .outstanding = axi.count("outstanding")};
}

}  // namespace isthmus::platform::kinds
