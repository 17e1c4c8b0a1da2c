#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/run.hpp"
#include "isthmus/offload/opencl.hpp"

namespace isthmus::hpcc {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The targets of "opencl:0,opencl:1".
std::vector<std::string> targets_of(const std::string& text) {
  std::vector<std::string> targets;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) targets.push_back(word);
  if (targets.empty()) throw Error("--on: expected a target such as opencl:0");
  return targets;
}

struct Choice {
  std::string target;
  offload::DevicePart part{};
  bool shared = false;
};

/// Ranks of one host take its devices in turn; those that meet on one device divide it.
Choice choose(const Request& request, int local_rank, int local_ranks) {
  const auto targets = targets_of(request.target);
  const auto devices = static_cast<int>(targets.size());
  const int index = local_rank % devices;
  const int together = std::max(request.parts, (local_ranks - index + devices - 1) / devices);
  Choice choice{.target = targets[static_cast<std::size_t>(index)]};
  if (together == 1) return choice;
  const auto whole = offload::ComputeDevice::open(choice.target).properties();
  if (request.share || (whole.type == "cpu" && whole.compute_units < together)) {
    choice.shared = true;
    return choice;
  }
  if (whole.type != "cpu")
    throw Error(fmt::format("{} ranks on device '{}': expected one, further devices in --on, or --share", together,
                            whole.name));
  choice.part = {.index = local_rank / devices, .count = together};
  return choice;
}

std::string packed(const Place& place) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {}", place.host, place.target, place.device, place.type, place.pci,
                     place.part, place.parts, place.shared ? 1 : 0);
}

Place unpacked(const std::string& text, int rank) {
  Place place{.rank = rank};
  std::istringstream lines(text);
  std::getline(lines, place.host);
  std::getline(lines, place.target);
  std::getline(lines, place.device);
  std::getline(lines, place.type);
  std::getline(lines, place.pci);
  lines >> place.part >> place.parts >> place.shared;
  return place;
}

}  // namespace

Placement place(const Request& request, const cluster::Ranks& ranks) {
  const cluster::Ranks neighbours = ranks.on_this_host();
  const Choice choice = ranks.agreed([&] { return choose(request, neighbours.rank(), neighbours.size()); });
  auto device = ranks.agreed([&] { return offload::ComputeDevice::open(choice.target, choice.part); });
  const Place mine{.rank = ranks.rank(),
                   .host = host_name(),
                   .target = choice.target,
                   .device = device.properties().name,
                   .type = device.properties().type,
                   .pci = device.properties().pci,
                   .part = choice.part.index,
                   .parts = choice.part.count,
                   .shared = choice.shared};
  std::vector<Place> places;
  for (const std::string& text : ranks.gather(packed(mine)))
    places.push_back(unpacked(text, static_cast<int>(places.size())));
  return {.device = std::move(device), .places = std::move(places)};
}

}  // namespace isthmus::hpcc
