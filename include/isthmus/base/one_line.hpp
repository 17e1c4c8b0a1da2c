#pragma once

#include <string>
#include <string_view>

namespace isthmus {

/// What a person or a file says may hold anything, a message stays one line: control characters become escapes.
std::string one_line(std::string_view text);

}  // namespace isthmus
