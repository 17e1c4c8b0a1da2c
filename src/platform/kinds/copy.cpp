#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kCopyKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether a transfer copies between pageable and pinned memory"},
    {"rate", bandwidth, 0.001 * kGB, 1000 * kGB,
     "rate of that copy on one thread, if the host's memory has that rate free", kIfEnabled},
    {"cached_rate", bandwidth, 0.001 * kGB, 1000 * kGB, "rate of a copy that stays in a cache; default: as `rate`",
     kMayBeLeftOut},
    {"cached_size", bytes, 64, kGiB, "largest copy that stays in a cache; default: none does", kMayBeLeftOut},
});

constexpr std::array kCopyRelations = std::to_array<Relation>({
    {{"copy", "rate"}, {"copy", "cached_rate"}},
});

}  // namespace

const PartKind kCopy{.section = "host.copy",
                     .meaning = "copies by host threads between pageable and pinned memory",
                     .keys = kCopyKeys,
                     .relations = kCopyRelations};

}  // namespace isthmus::platform::kinds
