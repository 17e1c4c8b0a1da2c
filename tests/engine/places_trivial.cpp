#include "engine/program_actor.hpp"

namespace isthmus::reference {

const Places& trivial_places() {
  static const Places places = make_places<true, false>();
  return places;
}

}  // namespace isthmus::reference
