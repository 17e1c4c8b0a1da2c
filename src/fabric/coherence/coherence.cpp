#include "isthmus/fabric/coherence/coherence.hpp"

#include <fmt/format.h>

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
                           HomeSpec{.agents = static_cast<int>(spec.agents.size()),
                                    .line = spec.line,
                                    .forward = spec.forward,
                                    .transactions = transactions_of(spec)});
  auto& lines = graph.add<LineMemory>("home's memory", clocked, memory, spec.line);
  graph.connect(home_->memory_reads, lines.reads, channel(1));
  graph.connect(home_->memory_writes, lines.writes, channel(1));
  graph.connect(lines.data, home_->memory_data, channel(spec.memory_latency - 1));
  for (std::size_t place = 0; place < spec.agents.size(); ++place) {
    CoherentCacheSpec cache = spec.agents[place].cache;
    cache.line = spec.line;
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
  graph_.connect(cache.write_backs, home_->write_backs[place], there(2));
  graph_.connect(cache.snoop_answers, home_->snoop_answers[place], there(3));
  graph_.connect(home_->answers[place], cache.home_answers, back(4));
  graph_.connect(home_->snoops[place], cache.snoops, back(5));
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
