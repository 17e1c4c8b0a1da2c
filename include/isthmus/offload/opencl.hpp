#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::offload {

/// What an OpenCL device says of itself.
struct OpenClDeviceInfo {
  std::string target;  ///< the name to open it by: "opencl:0"
  std::string name;
  std::string platform;
  std::string driver;
  std::string type;  ///< "cpu", "gpu", "accelerator" or "other"
  std::int64_t compute_units = 0;
  Bytes global_memory;
  Bytes max_allocation;
};

/// Every OpenCL device of this machine, those of PoCL first; throws Error if there is none.
std::vector<OpenClDeviceInfo> opencl_devices();

/// Opens the device a target names: "opencl:N" counts in the order of `opencl_devices`, "opencl:NAME" takes the first
/// whose device or platform name contains NAME in any case.
std::unique_ptr<Device> open_opencl(const std::string& target);

}  // namespace isthmus::offload
