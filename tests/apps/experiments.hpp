#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isthmus/base/units.hpp"

namespace isthmus::apps {

/// What an experiment is done on: a board, its overrides, and the order in which its actors run where any would do.
struct Bench {
  std::string target;
  std::vector<std::string> overrides{};
  std::uint64_t schedule_seed = 0;
};

/// Probes and flows of small sizes by name, each with everything that it tells of a model as text: times to the
/// femtosecond and the accounts of all parts. An Error is an outcome as well.
using Experiment = std::string (*)(const Bench&);
const std::map<std::string, Experiment>& experiments();

/// How long a flow took, and the keys that stand behind its parts.
struct Rate {
  Time elapsed;
  std::set<std::string, std::less<>> keys;
};

/// The flows among the experiments, long enough to have a rate.
using Flow = Rate (*)(const Bench&);
const std::map<std::string, Flow>& flows();

std::string outcome(const std::string& experiment, const Bench& bench);

}  // namespace isthmus::apps
