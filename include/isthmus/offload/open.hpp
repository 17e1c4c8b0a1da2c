#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/offload/device.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::offload {

/// Opens the device a target names: "model:NAME", FILE.toml, "opencl:N" or "opencl:NAME". `overrides` are KEY=VALUE
/// pairs for a model's platform, `kernels` what it can run, `options` how it is modelled. Throws Error if there is no
/// such device or a setting or channel fits nothing.
std::unique_ptr<Device> open_device(const std::string& target, const std::vector<std::string>& overrides,
                                    std::vector<KernelModel> kernels = {}, const ModelOptions& options = {});

/// Opens the OpenCL device that `target` names, or a part of it: "opencl:N" counts in the order of `opencl_devices`,
/// "opencl:NAME" takes the first whose device or platform name contains NAME in any case. Throws Error where the device
/// cannot be divided so.
std::unique_ptr<Device> open_opencl(const std::string& target, DevicePart part = {});

/// Every OpenCL device of this machine, those of PoCL first; throws Error if there is none.
std::vector<DeviceProperties> opencl_devices();

}  // namespace isthmus::offload
