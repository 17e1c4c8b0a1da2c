#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kCpuKeys = std::to_array<Key>({
    {"clock", frequency, MHz, 5000 * MHz, "clock of cores, of their caches and of what keeps these coherent"},
    {"cores", count, 1, 64, "cores of the processor; a program uses one"},
    {"uncached_stores", count, 1, 64, "stores to non-cacheable memory that a core has under way"},
    {"copy_cycles", cycles, 1, 1000, "cycles in which a core copies 16 B with all data at hand: load, store, loop"},
    {"element_cycles", cycles, 1, 1000,
     "cycles in which a core computes an element with all data at hand: loads, arithmetic, a store, loop"},
});

constexpr std::array kL2Keys = std::to_array<Key>({
    {"size", bytes, 16 * kKiB, 64 * kMiB, "size of the cache, in whole sets"},
    {"line", bytes, 64, 128, "bytes of a line of the cache, of the interconnect and of an ACP transfer", kPowerOfTwo},
    {"ways", count, 1, 32, "lines of a set", kFasterEitherWay},
    {"latency", cycles, 2, 1000, "cycles from a core to the cache and back"},
    {"in_flight", count, 1, 256, "read misses under way; and as many write misses and write-backs"},
    {"random_replacement", flag, 0, 1, "whether a random line of a set is evicted; else the least recently used",
     kFasterEitherWay},
    {"fetch_on_write", flag, 0, 1, "whether a write of a whole line that misses reads the line first", kLessIsFaster},
});

constexpr std::array kPrefetchKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether a core that loads cacheable lines in sequence prefetches the next ones"},
    {"streams", count, 1, 16, "sequences that the prefetcher follows at once", kIfEnabled},
    {"trigger", count, 1, 64, "consecutive lines that start a prefetch, which ends with its page of 4 KiB",
     kIfEnabled | kLessIsFaster},
    {"lines", count, 1, 64, "most lines that are prefetched", kIfEnabled},
});

constexpr std::array kWriteStreamKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether a core that writes whole lines in sequence stops allocating them in the caches"},
    {"threshold", count, 1, 65536, "lines at the start of such a sequence that the caches still allocate",
     kIfEnabled | kFasterEitherWay},
});

constexpr std::array kMaintenanceKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether software flushes and invalidates lines before and after a port moves them"},
    {"line_cycles", cycles, 1, 10000, "cycles in which a core flushes or invalidates a line, without its barrier",
     kIfEnabled},
});

}  // namespace

const PartKind kCpu{.section = "cpu",
                    .meaning = "a processor on the FPGA's chip, whose memory and caches the FPGA reaches by ports",
                    .keys = kCpuKeys};

const PartKind kL2{.section = "cpu.l2", .meaning = "the second cache, which its cores share", .keys = kL2Keys};

const PartKind kPrefetch{
    .section = "cpu.prefetch", .meaning = "what a core does with sequences of cacheable loads", .keys = kPrefetchKeys};

const PartKind kWriteStream{.section = "cpu.write_stream",
                            .meaning = "what a core does with long sequences of stores",
                            .keys = kWriteStreamKeys};

const PartKind kMaintenance{
    .section = "cpu.maintenance", .meaning = "coherence by instructions of software", .keys = kMaintenanceKeys};

fabric::CoherentCacheSpec l2_spec(const Section& l2) {
  return {.size = l2.bytes("size"),
          .ways = l2.count("ways"),
          .line = static_cast<int>(l2.bytes("line").count),
          .reads_in_flight = l2.count("in_flight"),
          .writes_in_flight = l2.count("in_flight"),
          .random = l2.flag("random_replacement"),
          .fetches_lines = l2.flag("fetch_on_write")};
}

std::optional<fabric::PrefetchSpec> prefetch_spec(const Section& prefetch) {
  if (!prefetch.flag("enabled")) return {};
  return fabric::PrefetchSpec{.streams = static_cast<std::uint64_t>(prefetch.count("streams")),
                              .trigger = static_cast<std::uint64_t>(prefetch.count("trigger")),
                              .lines = static_cast<std::uint64_t>(prefetch.count("lines"))};
}

}  // namespace isthmus::platform::kinds
