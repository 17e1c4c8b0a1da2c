#include "isthmus/fabric/coherence/coherence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isthmus::fabric {
namespace {

/// Tokens at least, whatever the latency: actors that meet more seldom do so for more of them.
constexpr int kLeastDepth = 64;

constexpr const char* kGroup = "coherence";

int transactions_of(const CoherenceSpec& spec) {
  int most = 0;
  for (const CoherenceAgent& agent : spec.agents) most += agent.cache.reads_in_flight + agent.cache.writes_in_flight;
  return most;
}

}  // namespace

Coherence::Coherence(Graph& graph, const CoherenceSpec& spec, PinnedMemory& memory, CoherenceObserver* observer)
    : graph_(graph), spec_(spec), observer_(observer) {
  const ActorOptions clocked{.clock = spec.clock, .group = kGroup};
  home_ = &graph.add<Home>("home", clocked,
                           HomeSpec{.agents = static_cast<int>(spec.agents.size()) + spec.bridges,
                                    .uncached = spec.bridges,
                                    .line = spec.line,
                                    .forward = spec.forward,
                                    .transactions = transactions_of(spec) + spec.bridges * kLinesOfABridge,
                                    .filled = spec.filled,
                                    .remembered = spec.remembered});
  auto& lines = graph.add<LineMemory>("home's memory", clocked, memory, spec.line);
  graph.connect(home_->memory_reads, lines.reads, channel(1));
  graph.connect(home_->memory_writes, lines.writes, channel(1));
  graph.connect(lines.data, home_->memory_data, channel(spec.memory_latency - 1));
  for (std::size_t place = 0; place < spec.agents.size(); ++place) {
    CoherentCacheSpec cache = spec.agents[place].cache;
    cache.line = spec.line;
    cache.filled = spec.filled == place;
    caches_.push_back(&graph.add<CoherentCache>(spec.agents[place].name, clocked, cache, place, observer));
    connect(spec.agents[place], place);
  }
}

void Coherence::connect(const CoherenceAgent& agent, std::size_t place) {
  CoherentCache& cache = *caches_[place];
  const auto there = [&](std::size_t kind) { return channel(agent.to_home + agent.longer[kind]); };
  const auto back = [&](std::size_t kind) { return channel(agent.from_home + agent.longer[kind]); };
  graph_.connect(cache.home_requests, home_->requests[place], there(0));
  graph_.connect(cache.confirms, home_->confirms[place], there(1));
  graph_.connect(home_->snoops[place], cache.snoops, back(5));
  if (!agent.wire) {
    graph_.connect(cache.write_backs, home_->write_backs[place], there(2));
    graph_.connect(cache.snoop_answers, home_->snoop_answers[place], there(3));
    graph_.connect(home_->answers[place], cache.home_answers, back(4));
    return;
  }
  const auto over = [&](const char* what, Time line, auto& from, auto& to, int latency) {
    return connect_over_wire(fmt::format("{}'s {}", agent.name, what), line, from, to, latency);
  };
  wires_to_home_ = {over("write-backs on the wire", agent.wire->to_home, cache.write_backs, home_->write_backs[place],
                         agent.to_home + agent.longer[2]),
                    over("answers on the wire", agent.wire->to_home, cache.snoop_answers, home_->snoop_answers[place],
                         agent.to_home + agent.longer[3])};
  wires_from_home_ = {over("lines on the wire", agent.wire->from_home, home_->answers[place], cache.home_answers,
                           agent.from_home + agent.longer[4])};
}

template <class Message>
ActorId Coherence::connect_over_wire(const std::string& name, Time line, Out<Message>& from, In<Message>& to,
                                     int latency) {
  auto& wire = graph_.add<LineWire<Message>>(name, {.clock = spec_.clock, .group = kGroup}, spec_.clock, line);
  graph_.connect(from, wire.in, channel(1));
  graph_.connect(wire.out, to, channel(latency - 1));
  return graph_.id(wire);
}

HomeBridge& Coherence::add_bridge(const HomeBridgeSpec& spec) {
  const std::size_t place = caches_.size() + static_cast<std::size_t>(bridges_++);
  auto& bridge = graph_.add<HomeBridge>("home bridge", {.clock = spec_.clock, .group = kGroup}, spec);
  graph_.connect(bridge.home_requests, home_->requests[place], channel(1));
  graph_.connect(bridge.confirms, home_->confirms[place], channel(1));
  graph_.connect(bridge.write_backs, home_->write_backs[place], channel(1));
  graph_.connect(home_->answers[place], bridge.home_answers, channel(1));
  return bridge;
}

// The home asks memory and all caches in the cycle behind the request.
int Coherence::bridged_cycles(const CoherenceSpec& spec) {
  int longest = spec.memory_latency;
  for (const CoherenceAgent& agent : spec.agents) longest = std::max(longest, agent.from_home + agent.to_home);
  return 1 + longest + 1;
}

ChannelOptions Coherence::channel(int latency) const {
  return {.depth = spec_.depth.value_or(kLeastDepth + 2 * latency), .latency = latency};
}

ServiceLayer& Coherence::add_service_layer(ServiceLayerSpec layer, const ServicePhases& phases, std::size_t agent,
                                           std::size_t port) {
  const ChannelOptions accesses = channel(phases.translation - 1);
  layer.depth = accesses.depth;
  layer.agent = agent;
  layer.observer = observer_;
  auto& service = graph_.add<ServiceLayer>(fmt::format("{}'s service layer {}", spec_.agents[agent].name, port),
                                           {.clock = spec_.clock, .group = kGroup}, layer);
  CoherentCache& cache = *caches_[agent];
  graph_.connect(service.accesses, cache.requests[port], accesses);
  graph_.connect(cache.results[port], service.results, channel(phases.access));
  return service;
}

}  // namespace isthmus::fabric
