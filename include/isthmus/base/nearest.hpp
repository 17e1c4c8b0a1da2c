#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isthmus {

/// The candidate that takes the fewest single-character edits to become `word`; empty when none is near enough to be a
/// slip of the fingers (more than a third of the letters differ).
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "unknown WHAT 'WORD': expected A, B or C" with "; did you mean 'B'?" where one is near: the text of an Error.
std::string unknown_name(std::string_view what, std::string_view word, std::span<const std::string> candidates);

}  // namespace isthmus
