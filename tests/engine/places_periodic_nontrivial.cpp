#include "engine/program_actor.hpp"

namespace isthmus::reference {

const Places& periodic_nontrivial_places() {
  static const Places places = make_places<false, true>();
  return places;
}

}  // namespace isthmus::reference
