#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/apps/target.hpp"

namespace isthmus::apps {

/// The target `native`: the streaming flow on this machine's threads. `settings` must be empty: there is no platform.
std::unique_ptr<Target> open_native_target(const std::vector<std::string>& settings);

}  // namespace isthmus::apps
