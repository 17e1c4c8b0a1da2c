#pragma once

#include <string>
#include <string_view>

namespace isthmus {

/// Keeps a message on one line: control characters, which a person or a file may give, become escapes.
std::string one_line(std::string_view text);

}  // namespace isthmus
