#include "program/grain_option.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::program {

void GrainArgument::check(const std::string& target, bool modelled) const {
  if (!name_.empty() && !modelled)
    throw Error(fmt::format("--grain: target '{}' is no model, and only models have a grain", target));
  chosen();
}

platform::Grain GrainArgument::chosen() const {
  for (const platform::Grain grain : {platform::Grain::fine, platform::Grain::coarse})
    if (name_ == platform::to_string(grain)) return grain;
  if (!name_.empty()) throw Error(fmt::format("--grain: expected fine or coarse, got '{}'", name_));
  return platform::Grain::fine;
}

}  // namespace isthmus::program
