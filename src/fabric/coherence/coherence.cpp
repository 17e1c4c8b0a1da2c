#include "isthmus/fabric/coherence/coherence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isthmus::fabric {
namespace {

/// The least depth of a channel, whatever its latency: actors that meet less often exchange more tokens at once.
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
  add_home_and_caches();
  auto& lines = graph.add<LineMemory>("home's memory", {.clock = spec.clock, .group = kGroup}, memory, spec.line);
  graph.connect(home_->memory_reads, lines.reads, channel(1));
  graph.connect(home_->memory_writes, lines.writes, channel(1));
  graph.connect(lines.data, home_->memory_data, channel(spec.memory_latency - 1));
}

Coherence::Coherence(Graph& graph, const CoherenceSpec& spec, CoherenceObserver* observer)
    : graph_(graph), spec_(spec), observer_(observer) {
  add_home_and_caches();
  dram_lines_ = &graph.add<DramLines>("home's memory", {.clock = spec.clock, .group = kGroup}, spec.line);
  graph.connect(home_->memory_reads, dram_lines_->reads, channel(1));
  graph.connect(home_->memory_writes, dram_lines_->writes, channel(1));
  graph.connect(dram_lines_->data, home_->memory_data, channel(1));
}

void Coherence::add_home_and_caches() {
  const ActorOptions clocked{.clock = spec_.clock, .group = kGroup};
  home_ = &graph_.add<Home>("home", clocked,
                            HomeSpec{.agents = static_cast<int>(spec_.agents.size()) + spec_.bridges,
                                     .uncached = spec_.bridges,
                                     .line = spec_.line,
                                     .forward = spec_.forward,
                                     .transactions = transactions_of(spec_) + spec_.bridges * kLinesOfABridge,
                                     .directory = spec_.directory,
                                     .filled = spec_.filled,
                                     .remembered = spec_.remembered});
  for (std::size_t place = 0; place < spec_.agents.size(); ++place) {
    CoherentCacheSpec cache = spec_.agents[place].cache;
    cache.line = spec_.line;
    cache.filled = spec_.filled == place;
    caches_.push_back(&graph_.add<CoherentCache>(spec_.agents[place].name, clocked, cache, place, observer_));
    connect(spec_.agents[place], place);
  }
}

void Coherence::connect(const CoherenceAgent& agent, std::size_t place) {
  CoherentCache& cache = *caches_[place];
  const auto there = [&](std::size_t kind) { return agent.to_home + agent.longer[kind]; };
  const int back = agent.from_home + agent.longer[4];
  graph_.connect(cache.home_requests, home_->requests[place], channel(there(0)));
  graph_.connect(cache.confirms, home_->confirms[place], channel(there(1)));
  connect_snoops(agent, place);
  if (!agent.wire) {
    graph_.connect(cache.write_backs, home_->write_backs[place], channel(there(2)));
    graph_.connect(home_->answers[place], cache.home_answers, channel(back));
    return;
  }
  const auto over = [&](const char* what, Time line, auto& from, auto& to, int latency) {
    return connect_over_wire(fmt::format("{}'s {}", agent.name, what), line, from, to, latency);
  };
  wires_to_home_ = {
      over("write-backs on the wire", agent.wire->to_home, cache.write_backs, home_->write_backs[place], there(2)),
      over("answers on the wire", agent.wire->to_home, cache.snoop_answers, home_->snoop_answers[place], there(3))};
  wires_from_home_ = {
      over("lines on the wire", agent.wire->from_home, home_->answers[place], cache.home_answers, back)};
}

/// Connects snoops, and the answers to them except over a wire.
void Coherence::connect_snoops(const CoherenceAgent& agent, std::size_t place) {
  CoherentCache& cache = *caches_[place];
  const int there = agent.to_home + agent.longer[3];
  const int back = agent.from_home + agent.longer[5];
  if (!agent.snooped) {
    graph_.connect(home_->snoops[place], cache.snoops, channel(back));
    if (!agent.wire) graph_.connect(cache.snoop_answers, home_->snoop_answers[place], channel(there));
    return;
  }
  const ActorOptions clocked{.clock = spec_.clock, .group = kGroup};
  auto& pace = graph_.add<SnoopPace>(agent.name + "'s snoops", clocked, agent.snooped->interval);
  auto& data = graph_.add<SnoopData>(agent.name + "'s snooped data", clocked, *agent.snooped);
  graph_.connect(home_->snoops[place], pace.in, channel(1));
  graph_.connect(pace.out, cache.snoops, channel(back - 1));
  graph_.connect(cache.snoop_answers, data.in, channel(there - 1));
  graph_.connect(data.out, home_->snoop_answers[place], channel(1));
}

template <class Message>
ActorId Coherence::connect_over_wire(const std::string& name, Time line, Out<Message>& from, In<Message>& to,
                                     int latency) {
  auto& wire = graph_.add<LineWire<Message>>(name, {.clock = spec_.clock, .group = kGroup}, spec_.clock, line);
  graph_.connect(from, wire.in, channel(1));
  graph_.connect(wire.out, to, channel(latency - 1));
  return graph_.id(wire);
}

template <class Agent>
void Coherence::connect_agent(Agent& agent) {
  const std::size_t place = caches_.size() + static_cast<std::size_t>(bridges_++);
  graph_.connect(agent.home_requests, home_->requests[place], channel(1));
  graph_.connect(agent.confirms, home_->confirms[place], channel(1));
  graph_.connect(agent.write_backs, home_->write_backs[place], channel(1));
  graph_.connect(home_->answers[place], agent.home_answers, channel(1));
}

HomeBridge& Coherence::add_bridge(const HomeBridgeSpec& spec) {
  auto& bridge = graph_.add<HomeBridge>("home bridge", {.clock = spec_.clock, .group = kGroup}, spec);
  connect_agent(bridge);
  return bridge;
}

UncachedAgent& Coherence::add_uncached_agent(const std::string& name, int lines) {
  auto& agent = graph_.add<UncachedAgent>(name, {.clock = spec_.clock, .group = kGroup}, spec_.line, lines);
  connect_agent(agent);
  return agent;
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
