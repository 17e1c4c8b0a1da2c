#pragma once

#include "flows/flow.hpp"

namespace isthmus::program {

/// How packets go through an application's actors.
ThroughActors packets_through_actors();

}  // namespace isthmus::program
