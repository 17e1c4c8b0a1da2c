#pragma once

#include "engine/dice.hpp"
#include "engine/scenario.hpp"

namespace isthmus::reference {

/// A random graph of 2 to 12 actors.
Scenario generate(Dice& dice);

/// What the program of an actor may use.
struct Means {
  int ins = 0;
  int outs = 0;
  bool clocked = true;
  bool counts = false;  ///< its done() counts register 0
  bool periodic = false;
  bool arrays = false;    ///< its ports lie in arrays, so that it may be an arbiter's
  bool calm = false;      ///< serves every port in every step, so that the graph is likely to live long
  std::int64_t unit = 1;  ///< femtoseconds of a typical wait
};
Program random_program(Dice& dice, const Means& means, bool promises);

}  // namespace isthmus::reference
