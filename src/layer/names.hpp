#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "layer/opencl.hpp"

namespace isthmus::layer {

/// Numbers for what a journal refers to by number: devices and names of kernels, each written down the first time that
/// a journal needs it. Not for several threads at once.
class Names {
 public:
  /// What stands at a journal's beginning: the kinds of calls and the program's command line.
  void introduce();
  std::uint32_t device(cl_device_id device);
  /// 0 where the driver does not tell the kernel's name.
  std::uint32_t kernel(cl_kernel kernel);
  /// The handle may be of another kernel now.
  void forget(cl_kernel kernel) { kernels_.erase(kernel); }
  /// A function of an extension, through which the program may do what this layer does not see.
  void extension(std::string_view name);

 private:
  struct Numbered {
    std::uint32_t id = 0;
    std::uint32_t written_in = 0;  // the journal's generation
  };
  Numbered& numbered(std::unordered_map<std::string, Numbered>& known, const std::string& name);
  void write_device(cl_device_id device, std::uint32_t id);

  std::uint32_t introduced_in_ = 0;
  std::unordered_map<cl_device_id, Numbered> devices_;
  std::unordered_map<std::string, Numbered> kernel_names_;
  std::unordered_map<std::string, Numbered> extensions_;
  std::unordered_map<cl_kernel, Numbered*> kernels_;
};

}  // namespace isthmus::layer
