#pragma once

// All that a user's own application needs besides its actors: what a message is, where the kernel stands, the program.
#include "isthmus/application/application.hpp"
#include "isthmus/application/kernel.hpp"
#include "isthmus/program/main.hpp"
