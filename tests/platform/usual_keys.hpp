#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "isthmus/platform/schema.hpp"

namespace isthmus::platform::testing {

/// "link.pcie.lanes" and all others: the keys of a board with one part of each kind in its usual section.
inline std::vector<std::string> usual_keys() {
  std::vector<std::string> names;
  for (const PartKind* kind : schema())
    for (const Key& key : kind->keys) names.push_back(fmt::format("{}.{}", kind->section, key.name));
  return names;
}

}  // namespace isthmus::platform::testing
