#pragma once

#include <vector>

#include "isthmus/application/application.hpp"

namespace isthmus::apps {

/// The applications that come with Isthmus.
const std::vector<program::Maker>& applications();

}  // namespace isthmus::apps
