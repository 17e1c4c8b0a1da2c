#pragma once

#include <cstdint>

namespace isthmus::bench {

/// Bytes of this process that are in memory. Throws Error where the system does not tell.
std::uint64_t resident_bytes();

}  // namespace isthmus::bench
