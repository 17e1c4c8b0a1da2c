#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kAllocKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether a transfer allocates its pinned buffer each time"},
    {"rate", bandwidth, 0.001 * kGB, 1000 * kGB, "bytes of pinned memory allocated in a second on one thread",
     kIfEnabled},
    {"call", time, 0, 100 * ms, "additional time of each allocation of pinned memory, for any size; default: 0",
     kMayBeLeftOut},
});

}  // namespace

const PartKind kAlloc{.section = "host.alloc", .meaning = "allocation of pinned host memory", .keys = kAllocKeys};

}  // namespace isthmus::platform::kinds
