#include "program/grain_option.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "isthmus/base/error.hpp"

namespace isthmus::program {

void GrainArgument::add_to(CLI::App& app) {
  app.add_option("--grain", name_,
                 "detail of a model: fine, every packet and word (the default), or coarse, repetitions counted");
}

void GrainArgument::check(const std::string& target, bool modelled) const {
  if (!name_.empty() && !modelled)
    throw Error(fmt::format("--grain {}: target '{}' is no model, only models have a grain", name_, target));
  chosen();
}

platform::Grain GrainArgument::chosen() const {
  for (const platform::Grain grain : {platform::Grain::fine, platform::Grain::coarse})
    if (name_ == platform::to_string(grain)) return grain;
  if (!name_.empty()) throw Error(fmt::format("--grain: expected fine or coarse, got '{}'", name_));
  return platform::Grain::fine;
}

}  // namespace isthmus::program
