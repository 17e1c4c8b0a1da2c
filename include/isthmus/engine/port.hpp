#pragma once

#include <cstdint>
#include <new>
#include <type_traits>
#include <typeinfo>

#include "isthmus/engine/actor.hpp"
#include "isthmus/engine/lane.hpp"

namespace isthmus {
namespace engine {

class Wiring;
struct TokenType;

/// A port, timer or random source inside an actor: it reports itself to the graph that constructs the actor.
class Member {
 public:
  enum class Kind : std::uint8_t { in, out, timer, random };

 protected:
  Member(Kind kind, const char* name, const TokenType* type, std::size_t size);
};

/// Where in a slot the token stands, and how many bytes a slot takes.
constexpr std::size_t value_offset(std::size_t alignment) {
  return alignment > sizeof(SlotHeader) ? alignment : sizeof(SlotHeader);
}
constexpr std::size_t slot_bytes(std::size_t size, std::size_t alignment) {
  const std::size_t unit = alignment > alignof(SlotHeader) ? alignment : alignof(SlotHeader);
  return (value_offset(alignment) + size + unit - 1) / unit * unit;
}

/// What two ends of a channel must agree on.
struct TokenType {
  const std::type_info* type;
  std::size_t slot_bytes;  ///< on the model
  std::size_t size;
};
template <class T>
inline const TokenType kTokenType{&typeid(T), slot_bytes(sizeof(T), alignof(T)), sizeof(T)};

}  // namespace engine

/// The reading end of a channel. T is trivially copyable.
template <class T>
class In : private engine::Member {
  static_assert(std::is_trivially_copyable_v<T>,
                "a token is copied as bytes: give the channel a trivially copyable type");

 public:
  In() : In(nullptr) {}
  /// `name` is what messages call the port; without one it is named by its place among the actor's ports.
  explicit In(const char* name) : Member(Kind::in, name, &engine::kTokenType<T>, sizeof(In)) {}

  /// Takes the head token if one is visible at this tick; does not wait.
  bool pull(T& value) {
    if (!quick()) [[unlikely]]
      return state_.lane != nullptr ? engine::lane_pull(*state_.lane, &value) : pull_slowly(value);
    value = *head();
    take();
    return true;
  }
  /// The same, dropping the token.
  bool pull() {
    if (quick()) [[likely]] {
      take();
      return true;
    }
    if (state_.lane != nullptr) return engine::lane_pull<T>(*state_.lane, nullptr);
    if (!engine::token_visible(state_)) return false;
    engine::release(state_);
    return true;
  }
  /// Waits for a token and takes it; the actor finishes where the channel is closed and drained.
  T read() {
    if (!quick()) [[unlikely]] {
      if (state_.lane != nullptr) return read_lane();
      if (!comes()) return read_slowly();
    }
    T value = *head();
    take();
    return value;
  }
  /// The same, into `value`.
  void read(T& value) {
    if (!quick()) [[unlikely]] {
      if (state_.lane != nullptr) return engine::lane_read(*state_.lane, value);
      if (!comes()) return read_slowly(value);
    }
    value = *head();
    take();
  }
  /// `pull` without a copy: the token is taken now, and its bytes stay where they are until this port's next access;
  /// nullptr if none is visible at this tick.
  const T* pull_in_place() {
    if (!quick()) [[unlikely]] {
      if (state_.lane != nullptr) return engine::lane_pull_in_place<T>(*state_.lane);
      return engine::token_visible(state_) ? release_slowly() : nullptr;
    }
    const T* token = head();
    take();
    return token;
  }
  /// `read` without a copy, likewise.
  const T& read_in_place() {
    if (!quick()) [[unlikely]] {
      if (state_.lane != nullptr) return engine::lane_read_in_place<T>(*state_.lane);
      if (!comes()) return *claim_slowly();
    }
    const T* token = head();
    take();
    return *token;
  }
  /// Copies the head token without taking it; false if none is visible at this tick.
  bool peek(T& value) {
    const T* token = front();
    if (token != nullptr) value = *token;
    return token != nullptr;
  }
  /// The head token in place, until it is pulled; nullptr if none is visible at this tick.
  const T* front() {
    if (quick()) return head();
    if (state_.lane != nullptr) return engine::lane_front<T>(*state_.lane);
    return engine::peek(state_) ? head() : nullptr;
  }
  /// The writer has finished, that is visible, and every token was pulled.
  bool closed() {
    return state_.lane != nullptr ? state_.lane->actor->closed(*state_.lane) : engine::channel_closed(state_);
  }
  /// When the head token became visible; ask only after `peek` or `front` found one. In real time it is no time of a
  /// clock but still tells which of two heads this actor saw first.
  Time front_time() const {
    if (state_.lane != nullptr) return state_.lane->actor->seen_at(*state_.lane);
    return Time::fs(state_.actor->grid.edge(state_.channel->head_visible()));
  }
  /// The rank by which arbiters break ties: the graph's priority, else the rank of the writer's name in natural order.
  int client_key() const { return state_.channel->client_key; }

 private:
  friend class engine::Wiring;
  friend class Timer;

  static constexpr std::size_t kStride = engine::slot_bytes(sizeof(T), alignof(T));

  const T* head() const {
    return std::launder(reinterpret_cast<const T*>(state_.cursor + engine::value_offset(alignof(T))));
  }
  bool quick() const {
    return state_.cursor != state_.window_end &&
           engine::Channel::header_at(state_.cursor - kStride).popped_at != engine::running_now;
  }
  /// The head token was not visible yet and now is.
  bool comes() {
    return state_.cursor != state_.known_end &&
           engine::Channel::header_at(state_.cursor - kStride).popped_at != engine::running_now &&
           state_.last_miss != engine::running_now && engine::await_known(state_, kStride);
  }
  void take() {
    engine::Channel::header_at(state_.cursor).popped_at = engine::running_now;
    state_.cursor += kStride;
  }
  const T* release_slowly() {
    const T* token = head();
    engine::release(state_);
    return token;
  }
  [[gnu::noinline]] const T* claim_slowly() {
    engine::claim_token(state_);
    const T* token = head();
    take_claimed();
    return token;
  }
  T read_lane() {
    T value;
    engine::lane_read(*state_.lane, value);
    return value;
  }
  /// Where the head token has been claimed.
  void take_claimed() {
    if (state_.cursor != state_.window_end) [[likely]]
      take();
    else
      engine::release(state_);
  }
  [[gnu::noinline]] bool pull_slowly(T& value) {
    if (!engine::token_visible(state_)) return false;
    value = *head();
    engine::release(state_);
    return true;
  }
  [[gnu::noinline]] void read_slowly(T& value) {
    engine::claim_token(state_);
    value = *head();
    take_claimed();
  }
  [[gnu::noinline]] T read_slowly() {
    engine::claim_token(state_);
    T value = *head();
    take_claimed();
    return value;
  }

  engine::PortState state_;  // first in every port: see Wiring
};

/// The writing end of a channel.
template <class T>
class Out : private engine::Member {
  static_assert(std::is_trivially_copyable_v<T>,
                "a token is copied as bytes: give the channel a trivially copyable type");

 public:
  Out() : Out(nullptr) {}
  explicit Out(const char* name) : Member(Kind::out, name, &engine::kTokenType<T>, sizeof(Out)) {}

  /// Waits for a free slot and fills it.
  void push(const T& value) {
    if (!quick()) [[unlikely]]
      return state_.lane != nullptr ? engine::lane_push(*state_.lane, value) : push_slowly(value);
    *place() = value;
    give();
  }
  /// Waits for a free slot; the token counts as pushed now. Fill it before the next access to any port.
  T& slot() {
    if (!quick()) [[unlikely]]
      return state_.lane != nullptr ? engine::lane_slot<T>(*state_.lane) : slot_slowly();
    T* token = place();
    give();
    return *token;
  }
  /// A push at this tick would find a slot.
  bool room() {
    return state_.lane != nullptr ? state_.lane->open() || state_.lane->actor->find_room(*state_.lane)
                                  : engine::slot_free(state_);
  }

 private:
  friend class engine::Wiring;
  friend class Timer;

  static constexpr std::size_t kStride = engine::slot_bytes(sizeof(T), alignof(T));

  T* place() const { return std::launder(reinterpret_cast<T*>(state_.cursor + engine::value_offset(alignof(T)))); }
  bool quick() const {
    return state_.cursor != state_.window_end &&
           engine::Channel::header_at(state_.cursor - kStride).pushed_at != engine::running_now;
  }
  void give() {
    engine::Channel::header_at(state_.cursor).pushed_at = engine::running_now;
    state_.cursor += kStride;
  }
  [[gnu::noinline]] void push_slowly(const T& value) {
    engine::claim_slot(state_);
    *place() = value;
    engine::publish(state_);
  }
  [[gnu::noinline]] T& slot_slowly() {
    engine::claim_slot(state_);
    T* token = place();
    engine::publish(state_);
    return *token;
  }

  engine::PortState state_;
};

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
  /// For an actor without a clock: goes on after `time`.
  void wait(Time time) { engine::wait_for(*actor_, time); }
  /// Says, at the end of a step that moved no token, that nothing will change until a "no" of this step on one of
  /// `ports` turns to "yes". An actor that is trivially copyable need not say it.
  template <class... Ports>
  requires(sizeof...(Ports) > 0) void wait(Ports&... ports) {
    actor_->promised = true;
    actor_->promised_channels.clear();
    (actor_->promised_channels.push_back(ports.state_.channel), ...);
  }

 private:
  friend class engine::Wiring;
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
