#pragma once

#include <vector>

#include "isthmus/platform/part.hpp"

namespace isthmus::apps {

/// Adds what the same parts did in another run, after those before; the first run's are taken as they are.
void add_parts(std::vector<platform::Part>& sum, const std::vector<platform::Part>& more);

}  // namespace isthmus::apps
