#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "isthmus/engine/detail/actor.hpp"
#include "isthmus/engine/detail/native_steps.hpp"
#include "isthmus/engine/detail/registration.hpp"

/// The actor that a graph makes of a user's struct.
namespace isthmus::engine {

/// The bytes of an actor between two of its ports and timers.
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

  /// Runs `loop`, which leaves in `self` the actor at which it stopped.
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
  /// Runs steps of `self`, and of the actors of its type that are next in turn; returns the actor after them, if it is
  /// known. Whatever makes a step silent or longer than its interval forces a check, except waits for tokens and slots.
  [[gnu::always_inline]] static Actor* loop_of_steps(ActorOf*& self, decltype(Actor::run) run) {
    Tick due = self->now;
    Tick waits = 0;  // delay of step starts after `due`, by waits since `next_check` was set
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
      const Tick interval = self->initiation_interval;  // read once: a step's loads and stores are what limits it
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
        due += interval;
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

}  // namespace isthmus::engine
