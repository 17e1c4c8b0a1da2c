#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kCoresKeys = std::to_array<Key>({
    {"core_to_core", time, ns, 10 * us, "time of a cache line from one core of the host to another"},
});

}  // namespace

const PartKind kCores{.section = "host.cores", .meaning = "the host's cores with their caches", .keys = kCoresKeys};

}  // namespace isthmus::platform::kinds
