#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kKernelKeys = std::to_array<Key>({
    {"clock", frequency, MHz, 2000 * MHz, "clock of the user's kernel"},
    {"launch", time, 0, 100 * ms, "time from the enqueue of a kernel that waits for nothing to its first cycle"},
});

}  // namespace

const PartKind kKernel{.section = "kernel", .meaning = "the circuit of the user's kernel", .keys = kKernelKeys};

}  // namespace isthmus::platform::kinds
