#include <fmt/format.h>

#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr Key kWidth{"width", bytes, 4, 64, "width of the port's data path, each direction", kPowerOfTwo};
constexpr Key kClock{"clock", frequency, MHz, 1000 * MHz, "clock of that path"};
constexpr Key kBurst{"burst", count, 1, 256, "beats of one AXI burst that a circuit asks for"};
constexpr Key kOutstanding{"outstanding", count, 1, 256, "bursts under way, reads and writes each"};
constexpr Key kLatency{"latency", time, 2 * ns, 10 * us,
                       "time between a circuit and what the port leads to, there and back"};
constexpr Key kSnoop{"snoop",      flag, 0, 1, "whether the interconnect snoops the processor's caches for each line",
                     kLessIsFaster};

constexpr std::array kHpKeys{kWidth, kClock, kBurst, kOutstanding, kLatency};
constexpr std::array kHpcKeys{kWidth, kClock, kBurst, kOutstanding, kLatency, kSnoop};
constexpr std::array kAcpKeys{kWidth, kClock, kOutstanding, kLatency};

}  // namespace

const PartKind kHp{
    .section = "port.hp", .meaning = "a port of the FPGA to memory, which software keeps coherent", .keys = kHpKeys};

const PartKind kHpc{
    .section = "port.hpc", .meaning = "a port of the FPGA to memory through the interconnect", .keys = kHpcKeys};

const PartKind kAcp{.section = "port.acp",
                    .meaning = "a port of the FPGA into the processor's second cache, by whole lines",
                    .keys = kAcpKeys};

fabric::AxiSpec port_spec(const Section& port, Bytes line) {
  const Bytes width = port.bytes("width");
  const Bytes burst{find_key(port.kind(), "burst") != nullptr ? port.count("burst") * width.count : line.count};
  if (burst.count > static_cast<std::int64_t>(fabric::kLongestAxiBurst) || burst.count < line.count ||
      (burst.count & (burst.count - 1)) != 0)
    refuse(port.place_of("burst"), port.name_of("burst"),
           fmt::format("beats that make a power of two in {} B..{} B", line.count, fabric::kLongestAxiBurst),
           fmt::format("{} B", burst.count));
  return {.width = width,
          .clock = port.frequency("clock"),
          .latency = port.time("latency"),
          .burst = burst,
          .outstanding = port.count("outstanding")};
}

}  // namespace isthmus::platform::kinds
