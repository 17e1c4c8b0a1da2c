#include "isthmus/offload/kernel_model.hpp"

namespace isthmus::offload {

std::uint64_t kernel_argument(fabric::DeviceAddress at) {
  return std::uint64_t{at.channel} << 56U | at.byte;
}
fabric::DeviceAddress address_argument(std::uint64_t argument) {
  return {.channel = static_cast<std::uint32_t>(argument >> 56U), .byte = argument & ((std::uint64_t{1} << 56U) - 1)};
}

}  // namespace isthmus::offload
