#pragma once

#include <nlohmann/json.hpp>

#include "isthmus/platform/description.hpp"

namespace isthmus::platform {

/// What a record says of the platform that it was modelled on: file (its last part), name, sha256 and every
/// input with its source.
nlohmann::ordered_json to_json(const Description& description);

}  // namespace isthmus::platform
