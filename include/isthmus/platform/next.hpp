#pragma once

#include <vector>

#include "isthmus/platform/description.hpp"

namespace isthmus::platform {

/// The values of a key that lie one step from a board's own: half of it and twice it where the key takes these, else
/// what it takes on the way there; of values that devices are built with, the neighbours.
struct NextValues {
  std::vector<double> faster;  ///< faster values, in the input's unit; several if the direction depends on the data
  std::vector<double> slower;
};

/// The steps of `input`, one of `description`'s. Each value is one that --set takes on this board; a flag or a text has
/// none.
NextValues next_values(const Description& description, const Input& input);

}  // namespace isthmus::platform
