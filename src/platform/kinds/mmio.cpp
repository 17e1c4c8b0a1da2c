#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kMmioKeys = std::to_array<Key>({
    {"payload",
     bytes,
     4,
     64,
     "most that one store to the device carries: the CPU's bus interface unit",
     {.power_of_two = true}},
    {"register",
     bytes,
     4,
     64,
     "most that one store carries which is not combined with others: a register of the core",
     {.power_of_two = true}},
    {"store", time, 0, 100 * us, "what a thread pays for one such store, which it does not wait for"},
});

constexpr std::array kMmioRelations = std::to_array<Relation>({
    {{"mmio", "register"}, {"mmio", "payload"}},
});

}  // namespace

const PartKind kMmio{.name = "mmio",
                     .section = "host.mmio",
                     .meaning = "accesses of host threads to registers of the device",
                     .keys = kMmioKeys,
                     .relations = kMmioRelations};

}  // namespace isthmus::platform::kinds
