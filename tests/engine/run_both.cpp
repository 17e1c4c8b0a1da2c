#include "engine/run_both.hpp"

#include <gtest/gtest.h>

#include "engine/engine_run.hpp"

namespace isthmus::reference {

Outcome run_both(const std::string& text) {
  const Scenario scenario = parse(text);
  const Outcome expected = simulate(scenario, engine_draws);
  const EngineOutcome actual = run_on_engine(scenario, {});
  EXPECT_EQ(difference(expected, actual.outcome, scenario), "") << listing(scenario);
  EXPECT_EQ(message_difference(expected, actual.report, scenario), "");
  return expected;
}

Outcome run_pair(const std::string& source, const std::string& sink, const std::string& channel) {
  return run_both("run limit=1000000000\nactor source " + source + "\nactor sink " + sink +
                  "\nchannel source 0 sink 0 " + channel);
}

std::vector<std::int64_t> ns(const std::vector<TokenEvent>& events) {
  std::vector<std::int64_t> times;
  for (const auto& event : events) times.push_back(event.time / kNs);
  return times;
}

std::vector<std::int64_t> ns(const ActorActivity& activity) {
  return {activity.busy / kNs, activity.starved / kNs, activity.blocked / kNs, activity.lifetime / kNs};
}

}  // namespace isthmus::reference
