#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/host_interconnect.hpp"
#include "isthmus/fabric/root_port.hpp"
#include "isthmus/fabric/socket_link.hpp"

namespace isthmus::fabric {

/// The names of the host's parts in reports.
inline constexpr const char* kHostMemory = "host memory";
inline constexpr const char* kIommu = "IOMMU";

/// The time from one register of the host to the next, on the way in and on the way back. A link's flight ends at the
/// memory, so this time is taken off the flight twice; it is a part of a flight that is too short for that.
Time in_host(const PcieLinkSpec& spec);

/// DLLPs that a receiver owes: lanes send them before they add to what waits, so this many never do.
inline constexpr int kOwed = 64;

/// The host's end of a link.
struct HostEnd {
  RootPort& port;
  Completer& completer;
  MessageQueue& messages;
  In<Dllps>& dllps;  ///< DLLPs of the lane away from the host
};

/// The host's parts that a link's requests pass.
struct HostActors {
  ActorId memory;
  std::optional<ActorId> iommu{};
  std::vector<ActorId> socket_link{};  ///< actors of the socket link, in both directions

  template <class Visit>
  void visit(const Visit& visit) {
    visit(memory);
    if (iommu) visit(*iommu);
    for (ActorId& id : socket_link) visit(id);
  }
};

/// A host to which links are attached, each of which gets a root port of its own.
class LinkHost {
 public:
  virtual ~LinkHost() = default;
  virtual const HostMemorySpec& spec() const = 0;
  virtual PinnedMemory& memory() = 0;
  /// The actors on the path of the link that was attached last.
  virtual const HostActors& actors() const = 0;
  /// The answers under way to a link of which one may overtake another; none where all take the same time.
  virtual std::optional<DelayLineSpec> overtaking(const PcieLinkSpec& link) const = 0;
  /// The place that the next link gets.
  virtual int next() const = 0;
  /// Connects the next link's end. Throws Error where there is room for no more.
  virtual void attach(const PcieLinkSpec& link, const HostEnd& end) = 0;
};

/// The number of tokens that may wait between a link's root port and the host: requests, and answers to all tags.
int most_requests(const PcieLinkSpec& spec);
int most_answers(const PcieLinkSpec& spec);

/// A host in a graph: memory, the other parts of the spec on the path to it, and room for links, each of which gets a
/// root port of its own, and for cores that move bytes.
///
///     Host host(graph, memory, 2);
///     PcieLink left = add_pcie_link(graph, spec, host);
///     const Scope scope = graph.scope("right");
///     PcieLink right = add_pcie_link(graph, spec, host);
class Host final : public LinkHost {
 public:
  Host(Graph& graph, const HostMemorySpec& spec, int links = 1, int cores = 0);

  const HostMemorySpec& spec() const override { return spec_; }
  PinnedMemory& memory() override { return interconnect_.memory(); }
  const HostActors& actors() const override { return actors_; }
  std::optional<DelayLineSpec> overtaking(const PcieLinkSpec& link) const override;
  int next() const override { return attached_; }
  /// Connects the next core. Throws Error where there is room for no more.
  void attach_core(Out<HostRequest>& moves, In<HostMoved>& moved);
  void attach(const PcieLinkSpec& link, const HostEnd& end) override;

 private:
  Out<HostRequest>& translated(const PcieLinkSpec& link, RootPort& port);
  void connect_answers(const PcieLinkSpec& link, const HostEnd& end, std::size_t place);
  void build_socket_link(const SocketLinkSpec& spec);

  Graph& graph_;
  HostMemorySpec spec_;
  int links_;
  int attached_ = 0;
  int cores_;
  int attached_cores_ = 0;
  HostInterconnect& interconnect_;
  ToOtherSocket* to_memory_ = nullptr;  ///< null if links and memory are on one socket
  FromOtherSocket* from_memory_ = nullptr;
  HostActors actors_;
  Time from_other_socket_;  ///< time back from the other socket
};

}  // namespace isthmus::fabric
