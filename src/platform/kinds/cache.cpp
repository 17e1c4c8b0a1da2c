#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kCacheKeys = std::to_array<Key>({
    {"core_to_core", time, ns, 10 * us, "a cache line from one core of the host to another"},
});

}  // namespace

const PartKind kCache{
    .name = "cache", .section = "host.cache", .meaning = "the caches of the host's cores", .keys = kCacheKeys};

}  // namespace isthmus::platform::kinds
