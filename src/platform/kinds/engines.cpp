#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kEnginesKeys = std::to_array<Key>({
    {"filter_pixels", count, 1, 64, "pixels that difference-of-gaussian's filters take in a cycle"},
    {"gemm_multiplies", count, 1, 65536, "multiplications with additions that sgemm's blocks make in a cycle"},
    {"dnn_multiplies", count, 1, 65536, "multiplications with additions that alexnet's convolutions make in a cycle"},
    {"register_access", time, ns, 100 * us, "time of a core's word to a register of the FPGA, and of one back"},
});

}  // namespace

const PartKind kEngines{.section = "engines",
                        .meaning = "the accelerators of the applications that share a processor's memory",
                        .keys = kEnginesKeys};

}  // namespace isthmus::platform::kinds
