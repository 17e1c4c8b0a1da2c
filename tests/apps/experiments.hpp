#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isthmus::apps {

/// What an experiment is done on: a board, its settings, and the order in which its actors run where any would do.
struct Bench {
  std::string target;
  std::vector<std::string> settings{};
  std::uint64_t schedule_seed = 0;
};

/// Probes and flows of small sizes by name, each with everything that it tells of a model as text: times to the
/// femtosecond and the accounts of all parts. An Error is an outcome as well.
using Experiment = std::string (*)(const Bench&);
const std::map<std::string, Experiment>& experiments();

std::string outcome(const std::string& experiment, const Bench& bench);

}  // namespace isthmus::apps
