#pragma once

#include <string>

namespace isthmus::platform::testing {

/// The text of a board without one of its sections.
inline std::string without_section(std::string text, const std::string& name) {
  const auto begin = text.find("[" + name + "]\n");
  return text.erase(begin, text.find("\n[", begin) + 1 - begin);
}

}  // namespace isthmus::platform::testing
