#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::program {

/// The place on the device's side of a host link where an application puts its actors, the same on threads and on a
/// model. Words of messages come in by `from_host` and leave by `to_host`; `last` closes a message in both directions.
class Kernel {
 public:
  /// The actors will be on `clock`; `from` and `to` are the link's ends.
  Kernel(Graph& graph, const Clock& clock, Out<StreamWord>& from, In<StreamWord>& to)
      : graph_(graph), clock_(clock), from_(from), to_(to) {}

  /// Adds an actor on the kernel's clock.
  template <class T, class... Args>
  T& add(const std::string& name, Args&&... args) {
    T& actor = graph_.add<T>(name, {.clock = clock_, .group = kDeviceGroup}, std::forward<Args>(args)...);
    actors_.push_back(graph_.id(actor));
    return actor;
  }

  /// A channel between two of the kernel's actors.
  template <class T>
  void connect(Out<T>& from, In<T>& to, const ChannelOptions& options = {}) {
    graph_.connect(from, to, options);
  }

  /// The actor that reads the messages.
  void from_host(In<StreamWord>& in) { graph_.connect(from_, in, fifo(1)); }
  /// The actor that writes the results, `latency` cycles after its step: the depth of its pipeline.
  void to_host(Out<StreamWord>& out, int latency = 1) { graph_.connect(out, to_, fifo(latency)); }

  /// The actors, in the order in which they were added.
  const std::vector<ActorId>& actors() const { return actors_; }

 private:
  /// One block RAM wide and deep enough. Threads have no clock; their channels need a time, which means nothing there.
  static ChannelOptions fifo(int latency) {
    return {.depth = 64, .latency = latency, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
  }

  Graph& graph_;
  Clock clock_;
  Out<StreamWord>& from_;
  In<StreamWord>& to_;
  std::vector<ActorId> actors_;
};

}  // namespace isthmus::program
