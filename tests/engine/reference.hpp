#pragma once

#include "engine/reference_actor.hpp"

namespace isthmus::reference {

/// Makes the random sequence of the actor of this name.
using DrawMaker = std::function<Draw(const std::string& actor, std::uint64_t run_seed)>;

/// The scenario has more instants than anybody wants to wait for.
struct TooLong {};

/// Runs the scenario instant by instant, every clocked actor polling on its edges: slow, and as near to the letter of
/// docs/time.md as code comes. Throws TooLong after a million instants.
Outcome simulate(const Scenario& scenario, const DrawMaker& draws);

}  // namespace isthmus::reference
