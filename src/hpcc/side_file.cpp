#include "isthmus/hpcc/side_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isthmus/base/error.hpp"
#include "isthmus/base/one_line.hpp"

namespace isthmus::hpcc {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

SideFile parsed(const std::string& file, const Json& content) {
  SideFile side{.file = file,
                .benchmark = content.at("benchmark"),
                .tool = content.at("tool"),
                .variant = content.at("variant"),
                .shape = content.value("shape", ""),
                .device = content.at("device"),
                .driver = content.value("driver", ""),
                .replicated = content.at("replicated")};
  side.memory = content.value("memory", "");
  if (content.contains("banks")) side.banks = content.at("banks");
  for (const auto& [name, value] : content.at("parameters").get<Json::object_t>())
    side.parameters[name] = text_of(value);
  return side;
}

}  // namespace

SideFile SideFile::beside(const std::string& binary) {
  const std::string file = binary + ".json";
  // Said first: without the binary its side file is of no use.
  if (!std::filesystem::exists(binary)) throw Error(fmt::format("{}: cannot read the device binary", binary));
  std::ifstream stream(file);
  if (!stream)
    throw Error(fmt::format("{}: cannot read the side file, which says what the binary was compiled with", file));
  try {
    return parsed(file, Json::parse(stream));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{}: not the side file of a binary: {}", file, one_line(error.what())));
  }
}

void SideFile::require(const std::string& wanted, const offload::DeviceProperties& its) const {
  if (benchmark != wanted)
    throw Error(fmt::format("{}: the binary is one of '{}', expected '{}'", file, benchmark, wanted));
  if (its.name.find(device) == std::string::npos)
    throw Error(fmt::format("{}: the binary is for the device '{}', not for '{}'", file, device, its.name));
  if (!driver.empty() && driver != its.driver)
    throw Error(fmt::format("{}: the binary is for the driver {}, the device has {}", file, driver, its.driver));
}

std::vector<std::string> SideFile::overrides(const std::vector<ParameterSpec>& specs,
                                             const std::vector<std::string>& overrides) const {
  std::vector<std::string> all;
  all.reserve(parameters.size() + overrides.size());
  for (const auto& [name, value] : parameters) all.push_back(fmt::format("{}={}", name, value));
  for (const ParameterSpec& spec : specs) {
    if (spec.at_run) continue;
    const auto compiled = parameters.find(spec.name);
    if (compiled == parameters.end())
      throw Error(fmt::format("{}: expected parameters.{}, with which the binary was compiled", file, spec.name));
    for (const std::string& assignment : overrides)
      if (assignment.starts_with(spec.name + "=") && assignment.substr(spec.name.size() + 1) != compiled->second)
        throw Error(fmt::format("--set {}: the binary was compiled with {} ({})", assignment, compiled->second, file));
  }
  all.insert(all.end(), overrides.begin(), overrides.end());
  return all;
}

std::string SideFile::kernel_name(const std::string& kernel, std::size_t replica) const {
  if (std::ranges::find(replicated, kernel) == replicated.end()) return kernel;
  const char* form = tool == "xrt" ? "{0}:{{{0}_{1}}}" : "{0}_{1}";
  return fmt::format(fmt::runtime(form), kernel, replica);
}

offload::MemoryBank SideFile::bank(const offload::Kernel& kernel, std::uint32_t index, const std::string& name,
                                   std::size_t replica) const {
  using Told = offload::MemoryBank::Told;
  const auto found = banks.find(name);
  if (tool == "opencl" || found == banks.end() || replica >= found->second.size()) return {};
  const Told of_intel = memory == "HBM" ? Told::type : Told::channel;
  return {.told = tool == "xrt" ? Told::kernel : of_intel,
          .kernel = &kernel,
          .argument = index,
          .bank = found->second[replica]};
}

}  // namespace isthmus::hpcc
