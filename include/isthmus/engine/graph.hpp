#pragma once

#include <algorithm>
#include <concepts>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isthmus/engine/detail/native_steps.hpp"
#include "isthmus/engine/detail/registration.hpp"
#include "isthmus/engine/report.hpp"
#include "isthmus/engine/run_options.hpp"
#include "isthmus/engine/scope.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/engine/trace.hpp"

namespace isthmus {

namespace native {
class Runtime;
}

struct ActorOptions {
  std::optional<Clock> clock{};  ///< none: the actor advances by `timer.wait`
  int initiation_interval = 1;   ///< an actor's own `static constexpr int initiation_interval` stands where this is 1
  const char* group = "";        ///< the heading under which a trace shows it
};

struct ChannelOptions {
  int depth = 2;
  int latency = 1;         ///< writer cycles until a token is visible
  int return_latency = 1;  ///< reader cycles until a slot can be filled again
  Time latency_time{};     ///< in place of `latency` where the writer has no clock
  Time return_latency_time{};
  std::optional<int> synchroniser{};  ///< cycles lost between unrelated clocks; 2 by default
  std::optional<int> priority{};      ///< the client key arbiters see, in place of the writer's name's rank
};

namespace engine {

class RingMemory;

/// The bytes of an actor between its ports and timers.
struct StateRange {
  std::size_t begin;
  std::size_t size;
};

struct GraphActor : Actor {
  std::vector<MemberRecord> members;
  std::vector<PortStorage> port_arrays;
  std::vector<StateRange> state;
  std::optional<Clock> clock;
  virtual void set_clocked(bool has_clock) = 0;
  virtual std::byte* object() = 0;
  virtual std::size_t object_size() const = 0;
};

template <class T>
constexpr bool is_periodic() {
  if constexpr (requires { T::periodic; }) return T::periodic;
  return false;
}

template <class T>
constexpr int own_interval() {
  if constexpr (requires { T::initiation_interval; }) return T::initiation_interval;
  return 1;
}

/// A user's actor in a graph: the loop of steps (docs/time.md, "A step").
template <class T>
struct ActorOf final : GraphActor {
  union {
    T user;
  };

  template <class... Args>
  explicit ActorOf(Args&&... args) {
    Registration registration(reinterpret_cast<std::byte*>(&user), sizeof(T));
    ::new (static_cast<void*>(&user)) T{std::forward<Args>(args)...};
    members = registration.take();
    port_arrays = registration.take_arrays();
    periodic = is_periodic<T>();
    initiation_interval = own_interval<T>();
    trivial = std::is_trivially_copyable_v<T>;
    has_done = HasDone<T>;
  }
  void set_clocked(bool has_clock) override {
    clocked = has_clock;
    run = !has_clock ? run_without_clock : SteppedAsCopy<T> ? run_small_steps : run_steps;
  }
  ActorOf(const ActorOf&) = delete;
  ActorOf& operator=(const ActorOf&) = delete;
  ~ActorOf() override { user.~T(); }

  std::byte* object() override { return reinterpret_cast<std::byte*>(&user); }
  std::size_t object_size() const override { return sizeof(T); }

  void copy_state(std::vector<std::byte>& to) const override {
    const auto* bytes = reinterpret_cast<const std::byte*>(&user);
    to.clear();
    for (const auto& range : state) to.insert(to.end(), bytes + range.begin, bytes + range.begin + range.size);
  }
  bool same_state(const std::vector<std::byte>& as) const override {
    const auto* bytes = reinterpret_cast<const std::byte*>(&user);
    std::size_t at = 0;
    for (const auto& range : state) {
      if (std::memcmp(bytes + range.begin, as.data() + at, range.size) != 0) return false;
      at += range.size;
    }
    return true;
  }

  void end_run() override {
    ended = true;
    if constexpr (requires { user.end_run(); }) user.end_run();
  }

  void run_native() override {
    try {
      step_native(user, *native);
    } catch (const FinishStep&) {
      native->finish();
    } catch (const StopStep&) {
      return;
    } catch (...) {
      native->fail();
    }
  }

 private:
  static Actor* run_steps(Actor& actor) {
    return run_loop(actor, [](ActorOf*& self) { return loop_of_steps(self, run_steps); });
  }
  /// A short step costs less than the calls in it.
  [[gnu::flatten]] static Actor* run_small_steps(Actor& actor) {
    return run_loop(actor, [](ActorOf*& self) { return loop_of_steps(self, run_small_steps); });
  }
  static Actor* run_without_clock(Actor& actor) {
    return run_loop(actor, [](ActorOf* self) -> Actor* {
      self->clockless_steps();
      return nullptr;
    });
  }

  /// `loop` leaves in `self` the actor that it was at.
  template <class Loop>
  [[gnu::always_inline]] static Actor* run_loop(Actor& first, const Loop& loop) {
    auto* self = static_cast<ActorOf*>(&first);
    try {
      return loop(self);
    } catch (const FinishStep&) {
      finish(*self);
    } catch (const StopStep&) {
    } catch (...) {
      self->failed_step();
    }
    return nullptr;
  }
  [[gnu::noinline]] void failed_step() {
    now = running_now;
    fail(*this, std::current_exception());
  }
  /// Steps of `self`, and of those of its kind that are next in turn; returns the actor behind them, if it is known.
  /// Whatever makes a step silent or longer than its interval, but for waits for tokens and slots, forces a check.
  [[gnu::always_inline]] static Actor* loop_of_steps(ActorOf*& self, decltype(Actor::run) run) {
    Tick due = self->now;
    Tick waits = 0;  // how much later steps start than `due`, for waits since `next_check` was set
    for (;;) {
      while (due >= self->next_check) {
        Actor* const next = before_next_step(*self, due + waits);
        waits = 0;
        if (next == self) {
          due = self->now;
          break;
        }
        if (next == nullptr || next->run != run) return next;
        self = static_cast<ActorOf*>(next);
        due = self->now;
      }
      do {
        running_now = due + waits;
        if constexpr (HasDone<T>) {
          if (self->user.done()) [[unlikely]] {
            self->now = running_now;
            finish(*self);
            return nullptr;
          }
        }
        self->user.step();
        waits = running_now - due;
        due += self->initiation_interval;
      } while (due < self->next_check);
    }
  }

  [[gnu::noinline]] void clockless_steps() {
    for (;;) {
      if (before_next_clockless_step(*this) == AtBoundary::leave) return;
      const Tick start = running_now = now;
      if constexpr (HasDone<T>) {
        if (user.done()) return finish(*this);
      }
      moved = waited = sensed_time = false;
      user.step();
      now = running_now;
      if (told_end != 0) [[unlikely]]
        return caught_its_end(*this);
      if (!moved && !waited) {
        if constexpr (HasDone<T>) {
          if (user.done()) return finish(*this);
        }
        if (after_silent_step(*this, start) == AtBoundary::leave) return;
      } else if (now == start) {
        if (at_same_instant(*this) == AtBoundary::leave) return;
      } else if (!moved) {
        if (after_vain_wait(*this, start) == AtBoundary::leave) return;
      }
      failed_polls.clear();
    }
  }
};

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

  /// The actor that `part` is, is a base of, or lies in, the ports of its arrays included. Throws Error where no actor
  /// of this graph holds it.
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

  /// Bytes of an actor, from the first of them.
  struct Extent {
    std::size_t size;
    ActorId actor;
  };
  void note_extent(const std::byte* begin, std::size_t size, ActorId actor);

  std::uint64_t seed_;
  std::string scope_;  ///< what names begin with
  bool has_run_ = false;
  engine::ChannelObserver* observer_ = nullptr;
  std::vector<std::unique_ptr<engine::GraphActor>> actors_;
  std::unordered_set<std::string> names_;                       ///< of them
  std::map<const std::byte*, Extent, std::greater<>> extents_;  ///< of them
  std::unique_ptr<engine::RingMemory> rings_;
  std::vector<std::unique_ptr<engine::Channel>> channels_;
  std::vector<ChannelOptions> channel_options_;
};

}  // namespace isthmus
