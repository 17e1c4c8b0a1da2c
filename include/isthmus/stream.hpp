#pragma once

// All that an actor may include: ports, timers, random numbers.
#include "isthmus/engine/port.hpp"
