#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kOnchipKeys = std::to_array<Key>({
    {"capacity", bytes, kKiB, kGiB, "size of the FPGA's block RAM"},
    {"latency", cycles, 1, 64, "cycles from address to data of block RAM"},
});

}  // namespace

const PartKind kOnchip{.section = "device.onchip", .meaning = "the FPGA's block RAM", .keys = kOnchipKeys};

}  // namespace isthmus::platform::kinds
