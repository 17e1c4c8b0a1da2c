#include "program/flows.hpp"

#include <algorithm>
#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/platform/link.hpp"

namespace isthmus::program {
namespace {

constexpr std::array<std::string_view, 9> kBetweenCopies = {"pcie", "memory", "cache", "call",  "mmio",
                                                            "dma",  "dram",   "axi",   "kernel"};

constexpr std::array kFlows = std::to_array<Flow>({
    {.name = "offload", .needs = kBetweenCopies, .between_copies = make_offload_flow},
    {.name = "overlap", .needs = kBetweenCopies, .between_copies = make_overlap_flow},
    {.name = "stream", .needs = platform::kStreamNeeds},
});

}  // namespace

std::span<const Flow> all_flows() {
  return kFlows;
}

const Flow& flow_named(const std::string& name) {
  const auto* const found = std::ranges::find(kFlows, name, &Flow::name);
  if (found != kFlows.end()) return *found;
  std::vector<std::string> known;
  for (const Flow& flow : kFlows) known.emplace_back(flow.name);
  throw Error(unknown_name("flow", name, known));
}

std::vector<std::string> flows_of(const ByteApplication& application) {
  std::vector<std::string> found;
  for (const Flow& flow : kFlows)
    if (flow.takes(application)) found.emplace_back(flow.name);
  return found;
}

}  // namespace isthmus::program
