#pragma once

#include "layer/journal.hpp"

namespace isthmus::layer {

/// Does what needs memory; where there is none, the journal counts what it lacks.
template <class Work>
void carefully(const Work& work) noexcept {
  try {
    work();
  } catch (...) {
    journal().lost();
  }
}

}  // namespace isthmus::layer
