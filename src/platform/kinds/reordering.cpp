#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kReorderingKeys = std::to_array<Key>({
    {"read", cycles, 1, 1000, "cycles of the cache's clock from the cache to the circuit, for the result of a read"},
    {"write", cycles, 1, 1000, "cycles of the cache's clock from the cache to the circuit, for the result of a write"},
});

}  // namespace

const PartKind kReordering{.section = "reordering",
                           .meaning = "what gives results back to circuits in the order of the requests",
                           .keys = kReorderingKeys};

}  // namespace isthmus::platform::kinds
