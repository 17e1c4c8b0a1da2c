#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

// The smallest has room for a set of the most and longest lines.
constexpr std::array kLlcKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether devices read and write through the host's last-level cache"},
    {"size", bytes, 16 * kKiB, 4 * kGiB, "size of the cache, in whole sets", kIfEnabled},
    {"line", bytes, 16, 256, "one line of it", kIfEnabled | kPowerOfTwo | kFasterEitherWay},
    {"ways", count, 1, 64, "lines of a set", kIfEnabled | kFasterEitherWay},
    {"write_ways", count, 1, 64, "ways of these that devices' writes over PCIe may fill (DDIO)", kMayBeLeftOut},
    {"hit_latency", time, ns, 10 * us,
     "time to read a line that it holds, from the root complex or a coherent cache's home and back; replaces "
     "host.memory.latency",
     kIfEnabled},
    {"miss_latency", time, ns, 10 * us,
     "read of what it does not hold, likewise, memory and its data's time included; for PCIe links", kMayBeLeftOut},
    {"allocate_on_device_read", flag, 0, 1,
     "whether the cache also keeps a line that the circuit reads through its own cache and no cache has",
     kMayBeLeftOut | kFasterEitherWay},
});

constexpr std::array kLlcRelations = std::to_array<Relation>({
    {{"llc", "write_ways"}, {"llc", "ways"}},
    {{"llc", "hit_latency"}, {"llc", "miss_latency"}},
});

}  // namespace

const PartKind kLlc{
    .section = "host.llc",
    .meaning = "the host's last-level cache: over PCIe the lines that devices have written, else coherent",
    .keys = kLlcKeys,
    .relations = kLlcRelations};

fabric::HostCacheSpec host_cache_spec(const Section& llc) {
  return {.size = llc.bytes("size"),
          .line = llc.bytes("line"),
          .ways = llc.count("ways"),
          .write_ways = llc.count("write_ways"),
          .hit = llc.time("hit_latency"),
          .miss = llc.time("miss_latency")};
}

}  // namespace isthmus::platform::kinds
