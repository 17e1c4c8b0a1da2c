#include "isthmus/offload/open.hpp"

#include <fmt/format.h>

#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus::offload {

std::unique_ptr<Device> open_device(const std::string& target, const std::vector<std::string>& overrides,
                                    std::vector<KernelModel> kernels, const ModelOptions& options) {
  if (platform::is_model(target))
    return open_model(platform::load(platform::file_of(target), overrides), std::move(kernels), options);
  if (!target.starts_with("opencl:"))
    throw platform::unknown_target(target, "model:NAME, FILE.toml, opencl:N or opencl:NAME");
  if (!overrides.empty())
    throw Error(
        fmt::format("--set {}: target '{}' is a real device, only models have settings", overrides.front(), target));
  if (!options.channel.empty())
    throw Error(fmt::format("--channel {}: target '{}' is a real device, only models are told their link",
                            options.channel, target));
  return open_opencl(target);
}

}  // namespace isthmus::offload
