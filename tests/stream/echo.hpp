#pragma once

#include "engine/plain_actors.hpp"
#include "isthmus/stream.hpp"

namespace isthmus {

using Echo = Relay<StreamWord>;

}  // namespace isthmus
