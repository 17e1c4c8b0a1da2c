#pragma once

#include <rapidcheck.h>

#include "engine/dice.hpp"

namespace isthmus::reference {

/// Dice by a seed of a property: another one is no smaller.
inline Dice drawn_dice() {
  return Dice(*rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>())));
}

}  // namespace isthmus::reference
