#include "engine/program_actor.hpp"

namespace isthmus::reference {

const Places& periodic_trivial_places() {
  static const Places places = make_places<true, true>();
  return places;
}

}  // namespace isthmus::reference
