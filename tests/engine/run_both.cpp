#include "engine/run_both.hpp"

#include <gtest/gtest.h>

#include "engine/reference.hpp"

namespace isthmus::reference {

Outcome run_both(const std::string& text) {
  const Scenario scenario = parse(text);
  return simulate(scenario, {});
}

std::vector<std::int64_t> ns(const std::vector<TokenEvent>& events) {
  std::vector<std::int64_t> times;
  for (const auto& event : events) times.push_back(event.time / 1'000'000);
  return times;
}

std::vector<std::int64_t> ns(const Account& account) {
  return {account.busy / 1'000'000, account.starved / 1'000'000, account.blocked / 1'000'000,
          account.lifetime / 1'000'000};
}

}  // namespace isthmus::reference
