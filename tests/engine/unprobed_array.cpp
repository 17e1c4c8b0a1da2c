#include "engine/unprobed_array.hpp"

namespace isthmus::reference {

int lowest_of_unprobed_mebibyte() {
  volatile char array[1 << 20];
  array[0] = 1;
  return array[0];
}

}  // namespace isthmus::reference
