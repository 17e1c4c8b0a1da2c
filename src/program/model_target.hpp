#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/target.hpp"

namespace isthmus::program {

/// A modelled board: "model:NAME" or a platform file, with KEY=VALUE overrides of the file. Flows go
/// over the link `channel`; where it is empty, streams go over the first, transfers over all.
std::unique_ptr<Target> open_model_target(const std::string& name, const std::vector<std::string>& overrides,
                                          const std::string& channel);

}  // namespace isthmus::program
