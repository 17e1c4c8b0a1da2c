#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kMemoryKeys = std::to_array<Key>({
    {"transfer_rate", transfers, 100 * MTps, 20000 * MTps, "transfer rate of the host's DRAM"},
    {"data_width", bytes, 1, 128, "width of the data bus of one channel of the host's DRAM"},
    {"channels", count, 1, 64, "channels of the host's DRAM"},
    {"interleave", bytes, 64, 4 * kKiB,
     "bytes that follow each other on a channel before the next channel's begin, for devices over PCIe; default: each "
     "access goes to all channels at once",
     kMayBeLeftOut | kPowerOfTwo | kFasterEitherWay},
    {"capacity", bytes, kKiB, 65536 * kGiB, "size of the host's DRAM, all channels together", kMayBeLeftOut},
    {"latency", time, ns, 10 * us,
     "idle read of the host's DRAM, from the root complex and back to it: a part of link.pcie.round_trip",
     kFasterEitherWay},
});

}  // namespace

const PartKind kMemory{.section = "host.memory", .meaning = "the host's DRAM", .keys = kMemoryKeys};

fabric::HostMemorySpec host_memory_spec(const Section& memory) {
  const auto bus = static_cast<double>(memory.bytes("data_width").count * memory.count("channels"));
  fabric::HostMemorySpec spec{.bandwidth = {memory.frequency("transfer_rate").hertz() * bus},
                              .latency = memory.time("latency")};
  if (memory.has("interleave"))
    spec.interleave = {.channels = memory.count("channels"), .piece = memory.bytes("interleave")};
  return spec;
}

}  // namespace isthmus::platform::kinds
