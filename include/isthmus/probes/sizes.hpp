#pragma once

#include <string>
#include <vector>

#include "isthmus/base/units.hpp"

namespace isthmus::probes {

/// Sizes as people write them: "64B,4KiB", ranges "4KiB..64MiB" (each twice the one before), "4KiB..64MiB:x4",
/// "4KiB..64KiB:+4KiB"; each once, in the order written. Throws Error with what was expected.
std::vector<Bytes> parse_sizes(const std::string& text);

}  // namespace isthmus::probes
