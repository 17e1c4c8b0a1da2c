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

/// The same of an OpenCL device alone.
std::unique_ptr<Device> open_opencl(const std::string& target);

}  // namespace isthmus::offload
