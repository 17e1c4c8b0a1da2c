#pragma once

namespace isthmus {

/// Requests of writes whose completion the link has not told of yet, which each part on their way keeps.
inline constexpr int kUntoldWrites = 8;

}  // namespace isthmus
