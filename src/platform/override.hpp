#pragma once

#include <string>
#include <vector>

#include "isthmus/platform/section.hpp"

namespace isthmus::platform {

/// Replaces (or adds) the input that `text`, "KEY=VALUE", names; what it was is kept in its source. Throws Error, also
/// where the board has no such part.
void apply_override(std::vector<Section>& parts, const std::string& text);

}  // namespace isthmus::platform
