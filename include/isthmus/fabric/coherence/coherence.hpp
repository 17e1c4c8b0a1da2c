#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/coherence/coherent_cache.hpp"
#include "isthmus/fabric/coherence/dram_lines.hpp"
#include "isthmus/fabric/coherence/home.hpp"
#include "isthmus/fabric/coherence/home_bridge.hpp"
#include "isthmus/fabric/coherence/line_wire.hpp"
#include "isthmus/fabric/coherence/service_layer.hpp"
#include "isthmus/fabric/coherence/snoop_port.hpp"
#include "isthmus/fabric/coherence/uncached_agent.hpp"

namespace isthmus::fabric {

/// A cache of a home, and its distance from there.
struct CoherenceAgent {
  std::string name;
  CoherentCacheSpec cache;
  int to_home = 1;    ///< cycles of every message to the home
  int from_home = 1;  ///< cycles of every message from the home
  /// The additional time of each message: requests, confirmations, write-backs, answers to snoops; the home's answers
  /// and snoops.
  std::array<int, 6> longer{};
  std::optional<LineWireSpec> wire{};      ///< wire that limits the agent's lines; each way then takes 2 cycles or more
  std::optional<SnoopPortSpec> snooped{};  ///< limit of the agent's snoops
};

/// A home, its memory and its caches. All of it is on one clock.
struct CoherenceSpec {
  Clock clock;
  int line = 64;
  bool forward = true;         ///< whether there is a state F (QPI)
  bool directory = true;       ///< see HomeSpec::directory
  int memory_latency = 2;      ///< cycles from the home to memory and back, 2 or more
  std::optional<int> depth{};  ///< depth of every channel; none: as much as is under way at full rate
  std::vector<CoherenceAgent> agents;
  int bridges = 0;                          ///< agents without a cache: links of the host, or circuits
  std::optional<std::size_t> filled{};      ///< see HomeSpec::filled
  std::optional<std::size_t> remembered{};  ///< see HomeSpec::remembered
};

/// Cycles from a circuit to its cache and back, 1 or more each; translation takes 2 or more.
struct ServicePhases {
  int translation = 4;
  int access = 7;
  int reordering_read = 3;
  int reordering_write = 1;
};

/// A home, its memory and its caches in a graph.
///
///     Coherence coherence(graph, spec, memory);
///     graph.connect(core.accesses, coherence.cache(0).requests[0], coherence.channel(1));
///     graph.connect(coherence.cache(0).results[0], core.results, coherence.channel(1));
///     ServiceLayer& layer = coherence.add_service_layer({39, 28}, {}, 1);
class Coherence {
 public:
  /// Throws Error for a cache that is smaller than a set.
  Coherence(Graph& graph, const CoherenceSpec& spec, PinnedMemory& memory, CoherenceObserver* observer = nullptr);
  /// The same with a DRAM channel as its memory; the caller connects the ends of `dram_lines`.
  Coherence(Graph& graph, const CoherenceSpec& spec, CoherenceObserver* observer = nullptr);

  /// The ends before the DRAM of a home whose memory others use too.
  DramLines& dram_lines() { return *dram_lines_; }

  CoherentCache& cache(std::size_t agent) { return *caches_[agent]; }
  ActorId home() const { return graph_.id(*home_); }
  /// The wires over which a cache gets lines, and those over which it gives them.
  const std::vector<ActorId>& wires_from_home() const { return wires_from_home_; }
  const std::vector<ActorId>& wires_to_home() const { return wires_to_home_; }

  /// Adds a service layer at a port of a cache. The caller connects its ends towards the circuit, with channels that
  /// take what is left of the phases: a cycle of translation, and reordering.
  ServiceLayer& add_service_layer(ServiceLayerSpec layer, const ServicePhases& phases, std::size_t agent,
                                  std::size_t port = 0);
  /// Adds the next of the agents without a cache, a cycle from the home; the caller connects its other ends.
  HomeBridge& add_bridge(const HomeBridgeSpec& spec);
  /// Adds such an agent with a client of lines, which has `lines` of them under way; the caller connects its other
  /// ends.
  UncachedAgent& add_uncached_agent(const std::string& name, int lines);
  /// The time that the home takes for a line that such an agent reads, from its request to its answer.
  static int bridged_cycles(const CoherenceSpec& spec);

  /// The channel to a client of a cache or of a service layer, with this latency in cycles.
  ChannelOptions channel(int latency) const;

 private:
  void add_home_and_caches();
  void connect(const CoherenceAgent& agent, std::size_t place);
  void connect_snoops(const CoherenceAgent& agent, std::size_t place);
  template <class Agent>
  void connect_agent(Agent& agent);
  template <class Message>
  ActorId connect_over_wire(const std::string& name, Time line, Out<Message>& from, In<Message>& to, int latency);

  Graph& graph_;
  CoherenceSpec spec_;
  CoherenceObserver* observer_;
  Home* home_ = nullptr;
  DramLines* dram_lines_ = nullptr;
  std::vector<CoherentCache*> caches_;
  std::vector<ActorId> wires_from_home_;
  std::vector<ActorId> wires_to_home_;
  int bridges_ = 0;  ///< bridges that have been added
};

}  // namespace isthmus::fabric
