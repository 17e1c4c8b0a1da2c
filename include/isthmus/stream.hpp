#pragma once

// All that an actor may include: ports, arrays of them and bursts through them, timers, random numbers, occupancies,
// the tokens of I/O interfaces, AES-256.
#include "isthmus/engine/burst.hpp"
#include "isthmus/engine/occupancy.hpp"
#include "isthmus/engine/port.hpp"
#include "isthmus/engine/port_array.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/stream/aes256_ctr.hpp"
#include "isthmus/stream/vocabulary.hpp"
