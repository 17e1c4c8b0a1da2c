#pragma once

#include <cstdint>

#include "isthmus/engine/port.hpp"
#include "isthmus/engine/port_array.hpp"

namespace isthmus {

/// An actor's view of time.
class Timer : private engine::Member {
 public:
  Timer() : Member(Kind::timer, nullptr, nullptr, sizeof(Timer)) {}

  /// The time of this moment in the step. An actor that reads it is stepped at every initiation interval.
  Time now() {
    actor_->sensed_time = true;
    return engine::time_of(*actor_);
  }
  /// The run is over: nothing moves any more, whatever the actor still does.
  bool over() const { return actor_ == nullptr || actor_->ended; }
  /// Goes on at the first edge not before `time`.
  void wait_until(Time time) { engine::wait_until(*actor_, time); }
  /// Waits for `time`; for an actor without a clock.
  void wait(Time time) { engine::wait_for(*actor_, time); }
  /// Says that the actor works on a numbered message from now on: traces show it, and it goes with the tokens that the
  /// actor pushes. Who reads one of them works on its message then, so that only the actors need say it in which
  /// messages begin, or in which several are under way side by side.
  void works_on(std::int64_t message) { engine::works_on(*actor_, message); }
  /// What it said, or read, last; below 0: nothing, or nobody observes the run.
  std::int64_t message() const { return actor_->message; }
  /// Says, at the end of a step that moved no token, that nothing will change until a "no" of this step on one of
  /// `ports`, arrays of ports among them, turns to "yes"; never, if there was none. An actor that is trivially copyable
  /// need not say it.
  template <class... Ports>
  requires(sizeof...(Ports) > 0) void wait(Ports&... ports) {
    actor_->promised = true;
    actor_->require_slow_path();
    ++actor_->promises;
    (promise(ports), ...);
  }

 private:
  friend class engine::Wiring;

  template <class Port>
  void promise(Port& port) {
    port.state_.promise = actor_->promises;
  }
  template <class Port>
  void promise(PortArray<Port>& ports) {
    for (auto& port : ports) promise(port);
  }

  engine::Actor* actor_ = nullptr;
};

/// Random numbers that depend on the run's seed and the actor's name alone (splitmix64, Steele et al. 2014).
class Random : private engine::Member {
 public:
  Random() : Member(Kind::random, nullptr, nullptr, sizeof(Random)) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// A number in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  friend class engine::Wiring;
  std::uint64_t state_ = 0;
};

}  // namespace isthmus
