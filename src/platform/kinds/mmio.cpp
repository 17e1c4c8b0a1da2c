#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kMmioKeys = std::to_array<Key>({
    {"payload", bytes, 4, 64, "most bytes that one store to the device carries (limit of the CPU's bus interface unit)",
     kPowerOfTwo},
    {"register", bytes, 4, 64, "most bytes of a store that is not combined with others (size of a core's register)",
     kPowerOfTwo},
    {"store", time, 0, 100 * us, "time that a thread takes for one such store, without waiting for it"},
});

constexpr std::array kMmioRelations = std::to_array<Relation>({
    {{"mmio", "register"}, {"mmio", "payload"}},
});

}  // namespace

const PartKind kMmio{.section = "host.mmio",
                     .meaning = "accesses of host threads to registers of the device",
                     .keys = kMmioKeys,
                     .relations = kMmioRelations};

}  // namespace isthmus::platform::kinds
