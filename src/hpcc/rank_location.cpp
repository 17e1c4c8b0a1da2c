#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <sstream>

#include "hpcc/placement.hpp"
#include "isthmus/hpcc/run.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string packed(const RankLocation& location) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{} {} {} {}", location.host, location.target, location.device,
                     location.type, location.pci, location.cores, location.rank, location.part, location.parts,
                     location.shared ? 1 : 0);
}

RankLocation unpacked(const std::string& text) {
  RankLocation location;
  std::istringstream lines(text);
  for (std::string* each :
       {&location.host, &location.target, &location.device, &location.type, &location.pci, &location.cores})
    std::getline(lines, *each);
  lines >> location.rank >> location.part >> location.parts >> location.shared;
  return location;
}

/// The locations of all ranks, in their order.
std::vector<RankLocation> gathered(const RankLocation& mine, const cluster::Ranks& ranks) {
  std::vector<RankLocation> locations;
  for (const std::string& text : ranks.gather(packed(mine))) locations.push_back(unpacked(text));
  return locations;
}

/// PoCL reads it when its first device is opened, and then binds a thread to each processing unit, counted from 0.
/// Ranks that share those would all stand on the first.
void bind_threads_of_pocl(int local_ranks) {
  std::vector<int> counted(units_of(Cores::here().all()).size());
  std::iota(counted.begin(), counted.end(), 0);
  if (allowed_units() == counted && local_ranks <= static_cast<int>(counted.size())) setenv("POCL_AFFINITY", "1", 0);
}

/// Puts this rank on the cores that are nearest to its device, as far as whoever started it left them to it; says which
/// they are, nothing where it stays where it was.
std::string bind(const RankLocation& mine, const offload::DeviceProperties& device, const cluster::Ranks& neighbours) {
  const auto wanted = units_for(Cores::here(), gathered(mine, neighbours), static_cast<std::size_t>(neighbours.rank()),
                                device.compute_units);
  const auto allowed = allowed_units();
  std::vector<int> units;
  std::ranges::set_intersection(wanted, allowed, std::back_inserter(units));
  if (units.empty()) return {};
  bind_to(units);
  return ranges(units);
}

}  // namespace

Placement place(const Request& request, const cluster::Ranks& ranks) {
  const cluster::Ranks neighbours = ranks.on_this_host();
  const auto describe = [](const std::string& target) { return offload::open_opencl(target)->properties(); };
  const Choice choice = ranks.agreed([&] {
    bind_threads_of_pocl(neighbours.size());
    return choose(request, neighbours.rank(), neighbours.size(), describe);
  });
  auto device = ranks.agreed([&] { return offload::open_opencl(choice.target, choice.part); });
  RankLocation mine{.rank = ranks.rank(),
                    .host = host_name(),
                    .target = choice.target,
                    .device = device->properties().name,
                    .type = device->properties().type,
                    .pci = device->properties().pci,
                    .part = choice.part.index,
                    .parts = choice.part.count,
                    .shared = choice.shared};
  mine.cores = bind(mine, device->properties(), neighbours);
  return {.device = std::move(device), .locations = gathered(mine, ranks)};
}

}  // namespace isthmus::hpcc
