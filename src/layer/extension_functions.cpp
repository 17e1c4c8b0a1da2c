#include "layer/extension_functions.hpp"

#include <algorithm>

#include "layer/information.hpp"

namespace isthmus::layer {
namespace {

cl_platform_id platform_of(cl_device_id device) {
  return information<cl_platform_id>(driver().clGetDeviceInfo, device, CL_DEVICE_PLATFORM, nullptr);
}

}  // namespace

bool Beneath::learn(cl_platform_id platform, void* function) {
  const std::lock_guard guard(lock_);
  const std::size_t count = count_.load(std::memory_order_relaxed);
  const auto known = std::span(known_).first(count);
  if (std::ranges::find(known, platform, &Known::platform) != known.end()) return true;
  if (count == known_.size()) return false;
  known_[count] = {.platform = platform, .function = function};
  count_.store(count + 1, std::memory_order_release);
  return true;
}

void* Beneath::of(cl_platform_id platform) const {
  const auto known = std::span(known_).first(count_.load(std::memory_order_acquire));
  const auto found = std::ranges::find(known, platform, &Known::platform);
  return found != known.end() ? found->function : known.front().function;
}

cl_platform_id platform_of(cl_command_queue queue) {
  return platform_of(information<cl_device_id>(driver().clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, nullptr));
}

cl_platform_id platform_of(cl_context context) {
  std::array<cl_device_id, 64> devices{};
  driver().clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices.data(), nullptr);
  return platform_of(devices.front());
}

cl_platform_id platform_of(cl_kernel kernel) {
  return platform_of(information<cl_context>(driver().clGetKernelInfo, kernel, CL_KERNEL_CONTEXT, nullptr));
}

}  // namespace isthmus::layer
