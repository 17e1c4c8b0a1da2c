#include "flows/flows.hpp"

#include <algorithm>

#include "flows/offload/between_copies.hpp"
#include "flows/packets/packets.hpp"
#include "flows/shared/shared_flow.hpp"
#include "flows/stream/stream_flow.hpp"
#include "flows/threads/native.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"

namespace isthmus::program {
namespace {

/// A stream of words on a board, the same on threads, and packets on both.
Flow stream() {
  Flow flow = stream_flow();
  flow.words.on_threads = run_native;
  flow.words.thread_faults = kThreadFaults;
  flow.packets = packets_through_actors();
  return flow;
}

}  // namespace

std::span<const Flow> all_flows() {
  static const std::vector<Flow> kAll{offload_flow(), overlap_flow(), stream(), shared_flow()};
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
