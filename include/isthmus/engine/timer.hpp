#pragma once

#include <cstdint>

#include "isthmus/engine/port.hpp"
#include "isthmus/engine/port_array.hpp"

namespace isthmus {

/// Timer is an actor's view of time.
class Timer : private engine::Member {
 public:
  Timer() : Member(Kind::timer, nullptr, nullptr, sizeof(Timer)) {}

  /// The time of this moment in the step. An actor that reads it is stepped at every initiation interval.
  Time now() {
    actor_->sensed_time = true;
    return engine::time_of(*actor_);
  }
  /// Tells whether the run is over: nothing moves any more, whatever the actor still does.
  bool over() const { return actor_ == nullptr || actor_->ended; }
  /// Advances to the first edge not before `time`.
  void wait_until(Time time) { engine::wait_until(*actor_, time); }
  /// Advances an actor without a clock by `time`.
  void wait(Time time) { engine::wait_for(*actor_, time); }
  /// Says that the actor works on a numbered message from now on. Traces show it, and the number goes with the tokens
  /// that the actor pushes: a reader of one works on the same message. So only actors in which messages begin, or in
  /// which several are under way at once, need say it.
  void works_on(std::int64_t message) { engine::works_on(*actor_, message); }
  /// The number of the message that the actor said or read last; below 0 if there is none, or nobody observes the run.
  std::int64_t message() const { return actor_->message; }
  /// Says, at the end of a step that moved no token, that nothing will change until a failed poll of this step on one
  /// of `ports` (arrays of ports among them) would succeed; without such a poll, nothing ever will. A trivially
  /// copyable actor need not say it.
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

/// Random numbers that depend only on the run's seed and the actor's name (splitmix64, Steele et al. 2014).
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
