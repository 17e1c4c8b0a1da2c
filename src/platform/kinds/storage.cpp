#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kStorageKeys = std::to_array<Key>({
    {"queue_depth", count, 1, 65536, "read commands under way"},
    {"read_latency", time, us, 100 * ms,
     "time from the submission of a read command to its first byte, with nothing else under way"},
    {"read_rate", bandwidth, 1e6, 1e12, "data rate of all read commands together"},
    {"read_size", bytes, 512, 16 * kMiB, "bytes of a read command", {.multiple_of = 512}},
});

}  // namespace

const PartKind kStorage{
    .section = "storage", .meaning = "an NVMe drive, which the host or the board reads", .keys = kStorageKeys};

fabric::StorageSpec storage_spec(const Section& storage) {
  return {.queue_depth = storage.count("queue_depth"),
          .read_latency = storage.time("read_latency"),
          .read_rate = storage.bandwidth("read_rate"),
          .read_size = storage.bytes("read_size")};
}

}  // namespace isthmus::platform::kinds
