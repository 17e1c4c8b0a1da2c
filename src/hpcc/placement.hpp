#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isthmus/base/cores.hpp"
#include "isthmus/hpcc/run.hpp"
#include "isthmus/offload/device.hpp"

/// The choice of a rank's device and of the cores on which it runs.
namespace isthmus::hpcc {

struct Choice {
  std::string target{};
  offload::DevicePart part{};
  bool shared = false;
};

using Describe = std::function<offload::DeviceProperties(const std::string& target)>;

/// Ranks of one host take its devices in turn; those that meet on one device divide it, or share it where that was
/// asked for, or where it is a CPU with fewer cores than ranks. Throws Error where they can do neither.
Choice choose(const Request& request, int local_rank, int local_ranks, const Describe& describe);

/// The number of ranks of the host that has most of them.
int most_of_a_host(const std::vector<RankLocation>& locations);

/// The number of ranks on the shared device that has most of them; 1 where none is shared.
int most_sharers(const std::vector<RankLocation>& locations);

/// The processing units for the `index`th of the ranks of a host, whose device or part of one has `compute_units`:
/// those that its part of a CPU is made of, or its share of those that are nearest to its device. Empty: it stays where
/// it is.
std::vector<int> units_for(const Cores& cores, const std::vector<RankLocation>& locations, std::size_t index,
                           std::int64_t compute_units);

}  // namespace isthmus::hpcc
