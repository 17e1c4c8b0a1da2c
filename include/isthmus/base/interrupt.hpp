#pragma once

#include <stdexcept>

namespace isthmus {

/// The user pressed Ctrl-C: a tool stops after the last complete record and leaves with exit code 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// From here on SIGINT, SIGTERM, and SIGUSR2, which launchers of MPI jobs hand on to ranks, are only noted, for
/// `stop_if_interrupted` to find.
void watch_for_interrupts();

/// Tells whether a signal was noted, for work that has something to round off.
bool interrupted();

/// Throws Interrupted once a signal was noted. Long work calls it between its pieces.
void stop_if_interrupted();

}  // namespace isthmus
