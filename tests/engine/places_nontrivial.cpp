#include "engine/program_actor.hpp"

namespace isthmus::reference {

const Places& nontrivial_places() {
  static const Places places = make_places<false, false>();
  return places;
}

}  // namespace isthmus::reference
