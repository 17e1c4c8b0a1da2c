#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/offload/device.hpp"

namespace isthmus::offload {

/// Opens the device a target names, without a kernel if it is a model: "model:NAME", FILE.toml, "opencl:N" or
/// "opencl:NAME". `settings` are KEY=VALUE pairs for a model's platform. Throws Error if there is no such device or a
/// setting fits nothing.
std::unique_ptr<Device> open_device(const std::string& target, const std::vector<std::string>& settings);

}  // namespace isthmus::offload
