#pragma once

// All that a user's own application needs besides its actors: messages, kernel, program.
#include "isthmus/application/application.hpp"
#include "isthmus/application/kernel.hpp"
#include "isthmus/program/main.hpp"
