#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kCopyKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether a transfer copies between pageable and pinned memory"},
    {"rate", bandwidth, 0.001 * kGB, 1000 * kGB, "rate of that copy on one thread", {.when = "enabled"}},
});

}  // namespace

const PartKind kCopy{.name = "copy",
                     .section = "host.copy",
                     .meaning = "copies by host threads between pageable and pinned memory",
                     .keys = kCopyKeys};

}  // namespace isthmus::platform::kinds
