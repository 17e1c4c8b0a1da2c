#pragma once

#include <nlohmann/json.hpp>

#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"

namespace isthmus::platform {

/// What a record says of the platform that it was modelled on: file (its last part), name, sha256 and every
/// input with its source.
nlohmann::ordered_json to_json(const Description& description);

/// What it says of the parts of a model, and of the one that held the run back.
nlohmann::ordered_json to_json(const std::vector<Part>& parts);
nlohmann::ordered_json to_json(const Bottleneck& bottleneck);

}  // namespace isthmus::platform
