#include "isthmus/base/version.hpp"

namespace isthmus {

const char* version() {
  return ISTHMUS_VERSION;
}

}  // namespace isthmus
