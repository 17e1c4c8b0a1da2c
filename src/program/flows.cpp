#include "program/flows.hpp"

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

// The table: a line for each, in the order in which they are preferred. NAME_flow() of its file says what it is.
#define ISTHMUS_FLOWS(EACH) \
  EACH(offload)             \
  EACH(overlap)             \
  EACH(stream)              \
  EACH(shared)

namespace isthmus::program {

#define ISTHMUS_DECLARED(name) Flow name##_flow();
#define ISTHMUS_MADE(name) name##_flow(),

ISTHMUS_FLOWS(ISTHMUS_DECLARED)

std::span<const Flow> all_flows() {
  static const std::vector<Flow> kAll{ISTHMUS_FLOWS(ISTHMUS_MADE)};
  return kAll;
}

std::vector<std::string> flow_names() {
  std::vector<std::string> names;
  for (const Flow& flow : all_flows()) names.emplace_back(flow.name);
  return names;
}

const Flow& flow_named(const std::string& name) {
  const auto all = all_flows();
  const auto found = std::ranges::find(all, name, &Flow::name);
  if (found != all.end()) return *found;
  throw Error(unknown_name("flow", name, flow_names()));
}

std::vector<std::string> flows_of(const ByteApplication& application) {
  std::vector<std::string> found;
  for (const Flow& flow : all_flows())
    if (flow.takes(application)) found.emplace_back(flow.name);
  return found;
}

}  // namespace isthmus::program
