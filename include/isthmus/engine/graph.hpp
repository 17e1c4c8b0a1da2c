#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isthmus/engine/detail/actor_of.hpp"
#include "isthmus/engine/report.hpp"
#include "isthmus/engine/run_options.hpp"
#include "isthmus/engine/scope.hpp"
#include "isthmus/engine/state.hpp"
#include "isthmus/engine/timer.hpp"

namespace isthmus {

namespace native {
class Runtime;
}

struct ActorOptions {
  std::optional<Clock> clock{};  ///< none: the actor has no clock and advances by `timer.wait`
  int initiation_interval = 1;   ///< if it is 1, an actor's own `static constexpr int initiation_interval` counts
  const char* group = "";        ///< the heading under which a trace shows it
};

struct ChannelOptions {
  int depth = 2;
  int latency = 1;         ///< writer cycles until a token is visible
  int return_latency = 1;  ///< reader cycles until a slot can be filled again
  Time latency_time{};     ///< in place of `latency` where the writer has no clock
  Time return_latency_time{};
  std::optional<int> synchroniser{};  ///< cycles lost between unrelated clocks; 2 by default
  std::optional<int> priority{};      ///< client key that arbiters see, in place of the rank of the writer's name
};

namespace engine {

class RingMemory;

/// The other end of an input that nobody writes to, and of an output that nobody reads.
template <class T>
struct Silent {
  Out<T> out;
  void step() {}
  bool done() const { return true; }
};
template <class T>
struct Drain {
  In<T> in;
  void step() { in.read_in_place(); }
};

}  // namespace engine

/// Graph is a set of actors and the channels between them, which it runs in exact virtual time.
///
///     struct Numbers {
///       isthmus::Out<int> out;
///       int next = 0;
///       void step() { out.push(next++); }
///       bool done() const { return next == 100; }
///     };
///     struct Sum {
///       isthmus::In<int> in;
///       int sum = 0;
///       void step() { sum += in.read(); }
///     };
///     const isthmus::ActorOptions clock{.clock = isthmus::Clock{isthmus::Frequency::mhz(250)}};
///     isthmus::Graph graph;
///     auto& numbers = graph.add<Numbers>("numbers", clock);
///     auto& sum = graph.add<Sum>("sum", clock);
///     graph.connect(numbers.out, sum.in, {.depth = 16});
///     const isthmus::RunReport report = graph.run();  // or isthmus::native::run(graph), on threads
///
/// Mistakes that are told, each as an Error that names actors and ports:
/// - Two actors of one name, an actor without a clock whose channel has no latency_time, a depth or latency below 1.
/// - A port without a channel (`unused` where that is meant), or with two; ports of different token types.
/// - An actor that could never finish; a run in which all wait for each other; a second run of one graph.
/// - A channel that is too short for a token every cycle, and an actor that waits for its own end on a feedback loop:
///   warnings of the report.
class Graph {
 public:
  /// `seed` is what every Random of the graph starts from, together with its actor's name.
  explicit Graph(std::uint64_t seed = 1);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Actors that are added as long as the scope lives are called "name/...": names begin with all scopes around them.
  /// An empty name adds nothing.
  Scope scope(const std::string& name) { return {scope_, name}; }

  /// Constructs an actor in place; the reference is good for the graph's life. Throws Error for a name already given.
  template <class T, class... Args>
  T& add(const std::string& name, const ActorOptions& options = {}, Args&&... args) {
    auto actor = std::make_unique<engine::ActorOf<T>>(std::forward<Args>(args)...);
    T& user = actor->user;
    adopt(std::move(actor), name, options);
    return user;
  }

  /// Connects two ports of actors of this graph. Throws Error naming them where the token types differ, a port is
  /// already connected or is not of this graph, or the depth or a latency is below 1.
  template <class A, class B>
  void connect(Out<A>& from, In<B>& to, const ChannelOptions& options = {}) {
    connect_ports(reinterpret_cast<std::byte*>(&from), reinterpret_cast<std::byte*>(&to), options);
  }

  /// Says that nothing is to use a port. An input is closed from the start; what is pushed into an output is dropped
  /// and holds nobody up. Throws Error where the port is connected or is not of this graph.
  template <class T>
  void unused(In<T>& port) {
    const auto options =
        other_end(reinterpret_cast<std::byte*>(&port), std::make_unique<engine::ActorOf<engine::Silent<T>>>());
    connect(static_cast<engine::ActorOf<engine::Silent<T>>&>(*actors_.back()).user.out, port, options);
  }
  template <class T>
  void unused(Out<T>& port) {
    const auto options =
        other_end(reinterpret_cast<std::byte*>(&port), std::make_unique<engine::ActorOf<engine::Drain<T>>>());
    connect(port, static_cast<engine::ActorOf<engine::Drain<T>>&>(*actors_.back()).user.in, options);
  }

  /// The actor that contains `part`, or that `part` is or is a base of; ports of its arrays count as parts. Throws
  /// Error if no actor of this graph contains it.
  template <class T>
  ActorId id(const T& part) const {
    return holder(reinterpret_cast<const std::byte*>(std::addressof(part)));
  }

  /// Refuses a graph that cannot run (Error: an unconnected port, a source that would never end) and returns warnings.
  /// `run` calls it.
  std::vector<std::string> check();

  /// Runs from time 0 to the end (docs/time.md, "The end"). A graph runs once. Throws Error where the run ended in an
  /// error and `throw_on_error` says so.
  RunReport run(const RunOptions& options = {});

  void observe(engine::ChannelObserver* observer) { observer_ = observer; }

 private:
  friend class native::Runtime;  // another back end of the same graphs
  void adopt(std::unique_ptr<engine::GraphActor> actor, const std::string& name, const ActorOptions& options);
  /// Adds the actor at the other end of an unused port; returns what their channel is made of.
  ChannelOptions other_end(std::byte* port, std::unique_ptr<engine::GraphActor> end);
  void connect_ports(std::byte* from, std::byte* to, const ChannelOptions& options);
  ActorId holder(const std::byte* address) const;

  /// The bytes of an actor, from its first byte on.
  struct Extent {
    std::size_t size;
    ActorId actor;
  };
  void note_extent(const std::byte* begin, std::size_t size, ActorId actor);

  std::uint64_t seed_;
  std::string scope_;  ///< the beginning of new names
  bool has_run_ = false;
  engine::ChannelObserver* observer_ = nullptr;
  std::vector<std::unique_ptr<engine::GraphActor>> actors_;
  std::unordered_set<std::string> names_;                       ///< names of the actors
  std::map<const std::byte*, Extent, std::greater<>> extents_;  ///< bytes of the actors
  std::unique_ptr<engine::RingMemory> rings_;
  std::vector<std::unique_ptr<engine::Channel>> channels_;
  std::vector<ChannelOptions> channel_options_;
};

}  // namespace isthmus
