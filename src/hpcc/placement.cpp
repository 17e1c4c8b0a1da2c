#include "hpcc/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <sstream>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus::hpcc {
namespace {

/// The targets of "opencl:0,opencl:1".
std::vector<std::string> targets_of(const std::string& text) {
  std::vector<std::string> targets;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) targets.push_back(word);
  if (targets.empty()) throw Error("--on: expected a target such as opencl:0");
  return targets;
}

/// PoCL runs the compute units of a sub-device on the processing units of the same numbers.
std::vector<int> units_of_part(int part, int compute_units) {
  std::vector<int> units(static_cast<std::size_t>(compute_units));
  std::iota(units.begin(), units.end(), part * compute_units);
  return units;
}

}  // namespace

Choice choose(const Request& request, int local_rank, int local_ranks, const Describe& describe) {
  const auto targets = targets_of(request.target);
  const auto devices = static_cast<int>(targets.size());
  const int index = local_rank % devices;
  int together = (local_ranks - index + devices - 1) / devices;
  Choice choice{.target = targets[static_cast<std::size_t>(index)]};
  if (together == 1 && request.parts <= 1) return choice;
  const auto whole = describe(choice.target);
  if (whole.type == "cpu")
    together = std::max(together, std::min(request.parts, static_cast<int>(whole.compute_units)));
  if (together == 1) return choice;
  if (request.share || (whole.type == "cpu" && whole.compute_units < together)) {
    choice.shared = true;
    return choice;
  }
  if (!whole.divisible || whole.compute_units < together)
    throw Error(
        fmt::format("{} ranks on device '{}', which cannot be divided: expected one, further devices in --on, "
                    "or --share",
                    together, whole.name));
  choice.part = {.index = local_rank / devices, .count = together};
  return choice;
}

int most_of_a_host(const std::vector<RankLocation>& locations) {
  std::map<std::string, int> ranks;
  for (const RankLocation& each : locations) ++ranks[each.host];
  return std::ranges::max(ranks | std::views::values);
}

int most_sharers(const std::vector<RankLocation>& locations) {
  std::map<std::pair<std::string, std::string>, int> ranks;
  int most = 1;
  for (const RankLocation& each : locations)
    if (each.shared) most = std::max(most, ++ranks[{each.host, each.target}]);
  return most;
}

std::vector<int> units_for(const Cores& cores, const std::vector<RankLocation>& locations, std::size_t index,
                           std::int64_t compute_units) {
  const RankLocation& mine = locations[index];
  if (mine.shared || (mine.type == "cpu" && mine.parts == 1)) return {};
  if (mine.type == "cpu") return units_of_part(mine.part, static_cast<int>(compute_units));
  if (mine.pci.empty()) return {};
  const auto near = cores.near(mine.pci);
  const auto beside = [&](const RankLocation& location) {
    return location.type != "cpu" && cores.near(location.pci) == near;
  };
  const auto before = std::count_if(locations.begin(), locations.begin() + static_cast<std::ptrdiff_t>(index), beside);
  const auto sharers = std::ranges::count_if(locations, beside);
  return units_of(share_of(near, static_cast<std::size_t>(before), static_cast<std::size_t>(sharers)));
}

}  // namespace isthmus::hpcc
