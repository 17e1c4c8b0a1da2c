#pragma once

#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/coherence/coherence.hpp"
#include "isthmus/fabric/coherence/pcie_channel.hpp"
#include "isthmus/fabric/host.hpp"

namespace isthmus::fabric {

/// A host whose links read and write lines that a home keeps coherent: a bridge for each.
class CoherentHost final : public LinkHost {
 public:
  /// Latency of a line that a link reads: home, memory, and the caches that the home asks.
  static Time latency(const CoherenceSpec& spec);

  /// The arguments outlive the host; `coherence` has bridges for the links.
  CoherentHost(Graph& graph, const CoherenceSpec& spec, Coherence& coherence, PinnedMemory& memory);

  const HostMemorySpec& spec() const override { return spec_; }
  PinnedMemory& memory() override { return memory_; }
  const HostActors& actors() const override { return actors_; }
  std::optional<DelayLineSpec> overtaking(const PcieLinkSpec&) const override { return {}; }
  int next() const override { return static_cast<int>(bridges_.size()); }
  void attach(const PcieLinkSpec& link, const HostEnd& end) override;

  /// The bridge of the link that was attached last.
  HomeBridge& bridge() { return *bridges_.back(); }

 private:
  Graph& graph_;
  Coherence& coherence_;
  PinnedMemory& memory_;
  HostMemorySpec spec_;  ///< its latency is that of a line which the home and the caches are asked for
  int line_;
  std::vector<HomeBridge*> bridges_;
  HostActors actors_;
};

/// A link of the host as a path of a circuit's lines, both its ends included.
struct LineLink {
  PcieLink link;
  PcieChannel& channel;
};

LineLink add_line_link(Graph& graph, const PcieLinkSpec& spec, CoherentHost& host, const Clock& clock,
                       const SharedSpace* space);

}  // namespace isthmus::fabric
