#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

// The smallest has room for a set of the most and longest lines.
constexpr std::array kCacheKeys = std::to_array<Key>({
    {"size", bytes, kKiB, 64 * kMiB, "size of the cache, in whole sets"},
    {"line", bytes, 64, 128, "bytes of a line of the cache, of the home and of the host's cache", kPowerOfTwo},
    {"ways", count, 1, 8, "lines of a set; 1: direct-mapped", kFasterEitherWay},
    {"clock", frequency, MHz, 2000 * MHz, "clock of the cache and of the parts between it and a circuit"},
    {"ports", count, 1, 8, "ports for circuits, each with one access every `interval` cycles"},
    {"interval", cycles, 1, 64, "cycles from an access of a port to the next"},
    {"access", cycles, 1, 1000, "cycles from the lookup of an access to its result behind the cache, if it hits"},
    {"reads_in_flight", count, 1, 1024, "reads that a port has under way, and misses of the cache"},
    {"writes_in_flight", count, 1, 1024,
     "writes that a port has under way, and misses and write-backs of the cache together"},
});

}  // namespace

const PartKind kCache{
    .section = "cache", .meaning = "the FPGA's cache that is kept coherent with the host's", .keys = kCacheKeys};

fabric::CoherentCacheSpec coherent_cache_spec(const Section& cache) {
  return {.size = cache.bytes("size"),
          .ways = cache.count("ways"),
          .line = static_cast<int>(cache.bytes("line").count),
          .ports = cache.count("ports"),
          .reads_in_flight = cache.count("reads_in_flight"),
          .writes_in_flight = cache.count("writes_in_flight")};
}

}  // namespace isthmus::platform::kinds
