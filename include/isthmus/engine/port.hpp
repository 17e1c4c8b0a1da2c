#pragma once

#include <cstdint>
#include <new>
#include <type_traits>
#include <typeinfo>

#include "isthmus/engine/actor.hpp"

namespace isthmus {
namespace engine {

class Wiring;

/// A port, timer or random source inside an actor: it reports itself to the graph that constructs the actor.
class Member {
 public:
  enum class Kind : std::uint8_t { in, out, timer, random };

 protected:
  Member(Kind kind, const char* name, const std::type_info* type, std::size_t token_size, std::size_t size);
};

}  // namespace engine

/// The reading end of a channel. T is trivially copyable.
template <class T>
class In : private engine::Member {
  static_assert(std::is_trivially_copyable_v<T>, "a token is copied as bytes: give the channel a trivially copyable type");

 public:
  In() : In(nullptr) {}
  /// `name` is what messages call the port; without one it is named by its place among the actor's ports.
  explicit In(const char* name) : Member(Kind::in, name, &typeid(T), sizeof(T), sizeof(In)) {}

  /// Takes the head token if one is visible at this tick; does not wait.
  bool pull(T& value) {
    if (!pullable()) return false;
    value = head();
    take();
    return true;
  }
  /// The same, dropping the token.
  bool pull() {
    if (!pullable()) return false;
    take();
    return true;
  }
  /// Waits for a token and takes it; the actor finishes where the channel is closed and drained.
  T read() {
    begin_access();
    auto& channel = *channel_;
    if (channel.empty() || channel.head_visible() > channel.reader->now) [[unlikely]] {
      engine::await_token(*channel.reader, channel);
      last_access_ = channel.reader->now;
    }
    T value = head();
    take();
    return value;
  }
  /// Copies the head token without taking it; false if none is visible at this tick.
  bool peek(T& value) {
    const T* token = front();
    if (token != nullptr) value = *token;
    return token != nullptr;
  }
  /// The head token in place, until it is pulled; nullptr if none is visible at this tick.
  const T* front() {
    auto& channel = *channel_;
    auto& actor = *channel.reader;
    if (last_no_token_ == actor.now) engine::advance_for_port(actor);
    if (visible_now()) [[likely]]
      return &head();
    actor.note_no(channel, engine::Ask::token);
    last_no_token_ = actor.now;
    return nullptr;
  }
  /// The writer has finished, that is visible, and every token was pulled.
  bool closed() {
    auto& channel = *channel_;
    auto& actor = *channel.reader;
    if (last_no_closed_ == actor.now) engine::advance_for_port(actor);
    if (engine::channel_closed(actor, channel)) return true;
    actor.note_no(channel, engine::Ask::closed);
    last_no_closed_ = actor.now;
    return false;
  }
  /// When the head token became visible; ask only after `peek` or `front` found one.
  Time front_time() const { return Time::fs(channel_->reader->grid.edge(channel_->head_visible())); }
  /// The rank by which arbiters break ties: the graph's priority, else the rank of the writer's name in natural order.
  int client_key() const { return channel_->client_key; }

 private:
  friend class engine::Wiring;
  friend class Timer;

  void begin_access() {
    auto& actor = *channel_->reader;
    if (last_access_ == actor.now) [[unlikely]]
      engine::advance_for_port(actor);
    last_access_ = actor.now;
  }
  bool visible_now() {
    auto& channel = *channel_;
    if (!channel.empty()) [[likely]]
      return channel.head_visible() <= channel.reader->now;
    return engine::token_visible(*channel.reader, channel);
  }
  bool pullable() {
    begin_access();
    if (visible_now()) [[likely]]
      return true;
    channel_->reader->note_no(*channel_, engine::Ask::token);
    return false;
  }
  const T& head() const {
    return *std::launder(reinterpret_cast<const T*>(channel_->values + (channel_->popped & channel_->value_mask) * sizeof(T)));
  }
  void take() {
    auto& channel = *channel_;
    auto& actor = *channel.reader;
    actor.moved = true;
    channel.record_pop(actor.now);
    if (channel.tell_pop) [[unlikely]]
      engine::tell_pop(channel);
  }

  engine::Channel* channel_ = nullptr;  // first in every port: see Wiring
  Tick last_access_ = -1;
  Tick last_no_token_ = -1;
  Tick last_no_closed_ = -1;
};

/// The writing end of a channel.
template <class T>
class Out : private engine::Member {
  static_assert(std::is_trivially_copyable_v<T>, "a token is copied as bytes: give the channel a trivially copyable type");

 public:
  Out() : Out(nullptr) {}
  explicit Out(const char* name) : Member(Kind::out, name, &typeid(T), sizeof(T), sizeof(Out)) {}

  /// Waits for a free slot and fills it.
  void push(const T& value) {
    T& place = claim();
    place = value;
    publish();
  }
  /// Waits for a free slot; the token counts as pushed now. Fill it before the next access to any port.
  T& slot() {
    T& place = claim();
    publish();
    return place;
  }
  /// A push at this tick would find a slot.
  bool room() {
    auto& channel = *channel_;
    auto& actor = *channel.writer;
    if (last_no_room_ == actor.now) engine::advance_for_port(actor);
    if (engine::slot_free(actor, channel)) return true;
    actor.note_no(channel, engine::Ask::room);
    last_no_room_ = actor.now;
    return false;
  }

 private:
  friend class engine::Wiring;
  friend class Timer;

  T& claim() {
    auto& channel = *channel_;
    auto& actor = *channel.writer;
    if (last_access_ == actor.now) [[unlikely]]
      engine::advance_for_port(actor);
    if (channel.full() || channel.next_slot_free() > actor.now) [[unlikely]]
      engine::await_slot(actor, channel);
    last_access_ = actor.now;
    return *std::launder(reinterpret_cast<T*>(channel.values + (channel.pushed & channel.value_mask) * sizeof(T)));
  }
  void publish() {
    auto& channel = *channel_;
    auto& actor = *channel.writer;
    actor.moved = true;
    channel.record_push(actor.now);
    if (channel.tell_push) [[unlikely]]
      engine::tell_push(channel);
  }

  engine::Channel* channel_ = nullptr;
  Tick last_access_ = -1;
  Tick last_no_room_ = -1;
};

/// An actor's view of time.
class Timer : private engine::Member {
 public:
  Timer() : Member(Kind::timer, nullptr, nullptr, 0, sizeof(Timer)) {}

  /// The time of this moment in the step. An actor that reads it is stepped at every initiation interval.
  Time now() {
    actor_->sensed_time = true;
    return engine::time_of(*actor_);
  }
  /// Goes on at the first edge not before `time`.
  void wait_until(Time time) { engine::wait_until(*actor_, time); }
  /// For an actor without a clock: goes on after `time`.
  void wait(Time time) { engine::wait_for(*actor_, time); }
  /// Says, at the end of a step that moved no token, that nothing will change until a "no" of this step on one of `ports` turns to
  /// "yes". An actor that is trivially copyable need not say it.
  template <class... Ports>
    requires(sizeof...(Ports) > 0)
  void wait(Ports&... ports) {
    actor_->promised = true;
    actor_->promised_channels.clear();
    (actor_->promised_channels.push_back(ports.channel_), ...);
  }

 private:
  friend class engine::Wiring;
  engine::Actor* actor_ = nullptr;
};

/// Random numbers that depend on the run's seed and the actor's name alone (splitmix64, Steele et al. 2014).
class Random : private engine::Member {
 public:
  Random() : Member(Kind::random, nullptr, nullptr, 0, sizeof(Random)) {}

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
