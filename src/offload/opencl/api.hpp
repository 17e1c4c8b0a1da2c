#pragma once

#include "offload/opencl/loader.hpp"  // before the binding, whose calls it redirects

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <fmt/format.h>

#include <CL/opencl.hpp>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/device.hpp"
#include "offload/opencl/host_threads.hpp"

/// OpenCL's C++ binding (OpenCL-CLHPP) with the project's errors.
namespace isthmus::offload::opencl {

/// "CL_OUT_OF_RESOURCES (-5)".
std::string code_name(cl_int code);

/// What `call` returns; its cl::Error becomes the Error "CALL on 'DEVICE': CODE".
template <typename Call>
auto checked(const std::string& device, const Call& call) {
  try {
    return call();
  } catch (const cl::Error& error) {
    throw Error(fmt::format("{} on '{}': {}", error.what(), device, code_name(error.err())));
  }
}

/// An OpenCL object behind a handle.
template <typename T>
class ObjectOf final : public Object {
 public:
  explicit ObjectOf(T made) : object(std::move(made)) {}
  T object;
};

template <typename T>
Handle hold(T object) {
  return std::make_shared<ObjectOf<T>>(std::move(object));
}

template <typename T>
T& held(const auto& handle) {
  return dynamic_cast<ObjectOf<T>&>(handle.object()).object;
}

/// Without blanks at its ends.
std::string trimmed(const std::string& text);

/// Every device of every platform, those of PoCL first; throws Error if there is none.
std::vector<cl::Device> all_devices();

/// The device a target names: "opencl:N" or "opencl:NAME"; throws Error if there is none.
cl::Device find_device(const std::string& target);

/// The bytes of those last-level caches of the processor that belong to the device's units; 0 for other devices. Looks
/// at the whole machine.
std::int64_t cache_of(const DeviceProperties& device);

/// What the device says of itself, without its caches.
DeviceProperties describe(const cl::Device& device, const std::string& target);

/// What a device's queues and events share.
struct DeviceState {
  std::string name;
  HostThreads threads{};
  std::int64_t timer_ahead_ns = 0;  ///< of the host's monotonic clock

  /// What `call` returns, unless another host thread has failed.
  template <typename Call>
  auto checked(const Call& call) const {
    threads.stop_if_failed();
    return opencl::checked(name, call);
  }
};

/// The moment, of the device's own timer, at which a command was enqueued.
std::int64_t queued_ns(const Event& event);

std::unique_ptr<offload::Queue> make_queue(cl::CommandQueue queue, const DeviceState& device);

/// A built program.
std::unique_ptr<offload::Program> make_program(cl::Program program, const std::string& file, const std::string& device);

}  // namespace isthmus::offload::opencl
