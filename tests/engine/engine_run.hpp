#pragma once

#include "engine/program_actor.hpp"
#include "engine/reference.hpp"

namespace isthmus::reference {

/// How to run a scenario on the engine; none of this may show in the outcome.
struct EngineOptions {
  std::uint64_t schedule_seed = 0;
  std::uint64_t declaration_seed = 0;  ///< other than 0: actors and connections are declared in a random order
  bool observed = true;                ///< by a ChannelObserver; without one the times of tokens are not known
};

struct EngineOutcome {
  Outcome outcome{};  ///< token times are 0 without an observer
  RunReport report{};
};
EngineOutcome run_on_engine(const Scenario& scenario, const EngineOptions& options);

/// The random sequences that the engine gives its actors.
Draw engine_draws(const std::string& actor, std::uint64_t run_seed);

/// The report as text, to compare it bit by bit.
std::string text_of(const RunReport& report);

/// "" if the error's message names the actors and fills of one of `expected.culprits`, otherwise a complaint.
std::string message_difference(const Outcome& expected, const RunReport& report, const Scenario& scenario);

}  // namespace isthmus::reference
