#pragma once

// All that a program needs whose circuit works on the memory of the CPU: buffers, the CPU's side, the circuit's, the
// board.
#include "isthmus/shared/buffer.hpp"
#include "isthmus/shared/circuit.hpp"
#include "isthmus/shared/core.hpp"
#include "isthmus/shared/machine.hpp"
