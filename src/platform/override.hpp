#pragma once

#include <string>
#include <vector>

#include "isthmus/platform/description.hpp"

namespace isthmus::platform {

/// Replaces (or adds) the input that `text`, "KEY=VALUE", names; what it was is kept in its source. Throws Error.
void apply_override(std::vector<Input>& inputs, const std::string& text);

}  // namespace isthmus::platform
