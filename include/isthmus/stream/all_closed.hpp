#pragma once

#include <algorithm>

namespace isthmus {

/// Tells whether all of these inputs are closed and drained.
template <class Inputs>
bool all_closed(Inputs& inputs) {
  return std::ranges::all_of(inputs, [](auto& input) { return input.closed(); });
}

}  // namespace isthmus
