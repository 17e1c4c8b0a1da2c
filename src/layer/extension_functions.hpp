#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <string_view>

#include "layer/opencl.hpp"

namespace isthmus::layer {

/// A function of an extension as the drivers of several platforms have it: what the program gets in its place has no
/// platform, the objects that it is called with do.
class Beneath {
 public:
  /// False if there are too many platforms.
  bool learn(cl_platform_id platform, void* function);

 protected:
  void* of(cl_platform_id platform) const;
  bool one() const { return count_.load(std::memory_order_acquire) == 1; }

 private:
  struct Known {
    cl_platform_id platform = nullptr;  // none: the program did not say which
    void* function = nullptr;
  };
  std::mutex lock_;
  std::array<Known, 16> known_{};
  std::atomic<std::size_t> count_{0};
};

cl_platform_id platform_of(cl_command_queue queue);
cl_platform_id platform_of(cl_context context);
cl_platform_id platform_of(cl_kernel kernel);

template <class Function>
class FunctionBeneath : public Beneath {
 public:
  /// The function of the platform that an object belongs to.
  template <class Object>
  Function of_platform_of(Object object) const {
    return reinterpret_cast<Function>(of(one() ? nullptr : platform_of(object)));
  }
};

/// A function that the layer puts in the place of an extension's.
struct Wrapped {
  std::string_view name;
  Beneath* beneath;
  void* function;
};

/// cl_intel_unified_shared_memory.
std::span<const Wrapped> unified_memory_functions();
/// cl_khr_command_buffer, as far as its versions agree.
std::span<const Wrapped> command_buffer_functions();
/// Extension functions of other vendors that move data, order commands, or make programs.
std::span<const Wrapped> other_functions();

}  // namespace isthmus::layer
