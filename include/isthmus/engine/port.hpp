#pragma once

#include <new>
#include <type_traits>

#include "isthmus/engine/detail/actor.hpp"
#include "isthmus/engine/detail/member.hpp"
#include "isthmus/engine/detail/ring_end.hpp"

namespace isthmus {
namespace engine {

class Wiring;
struct BurstPorts;
struct PortAccess;
struct Unwaiting;

}  // namespace engine

/// In is the reading end of a channel, a member of an actor.
///
///     struct Adder {
///       isthmus::In<int> left{"left"};
///       isthmus::In<int> right{"right"};
///       isthmus::Out<int> sum{"sum"};
///       void step() { sum.push(left.read() + right.read()); }
///     };
///
/// `read` waits for a token, `pull` returns false where none is visible now. Mistakes that are told:
/// - T is not trivially copyable: the compiler says that a token is copied as bytes.
/// - The port is left without a channel: "adder.left is not connected: expected a channel for every port".
/// - It gets two channels: "channel 'b.out -> adder.left': adder.left has two writers: it is connected as ...".
template <class T>
class In : private engine::Port {
  static_assert(std::is_trivially_copyable_v<T>,
                "a token is copied as bytes: give the channel a trivially copyable type");

 public:
  In() : In(nullptr) {}
  /// `name` is what messages call the port; without one it is named by its place among the actor's ports.
  explicit In(const char* name) : Port(Kind::in, name, &engine::kTokenType<T>, sizeof(In)) {}

  /// Takes the head token if one is visible at this tick; does not wait.
  bool pull(T& value) {
    if (!in_window()) [[unlikely]]
      return is_native() ? pull_native(value) : graph_port().pull_slowly(value);
    value = *head();
    take();
    return true;
  }
  /// Takes the head token if one is visible at this tick, and drops it.
  bool pull() {
    if (in_window()) [[likely]] {
      take();
      return true;
    }
    if (is_native()) return pull_in_place_native() != nullptr;
    if (!engine::token_visible(graph_port().state_)) return false;
    engine::release(graph_port().state_);
    return true;
  }
  /// Waits for a token and takes it; the actor finishes where the channel is closed and drained.
  T read() {
    if (!in_window()) [[unlikely]] {
      if (!wait_for_known_token()) return is_native() ? read_native() : *graph_port().claim_in_place();
    }
    T value = *head();
    take();
    return value;
  }
  /// Does the same, into `value`.
  void read(T& value) { value = read(); }
  /// Takes the head token without a copy: its bytes stay where they are until this port's next access. Returns nullptr
  /// if none is visible at this tick.
  const T* pull_in_place() {
    if (!in_window()) [[unlikely]] {
      if (is_native()) return pull_in_place_native();
      return engine::token_visible(graph_port().state_) ? graph_port().release_slowly() : nullptr;
    }
    const T* token = head();
    take();
    return token;
  }
  /// Waits for a token and takes it without a copy, likewise.
  const T& read_in_place() {
    if (!in_window()) [[unlikely]] {
      if (!wait_for_known_token()) return is_native() ? read_native() : *graph_port().claim_in_place();
    }
    const T* token = head();
    take();
    return *token;
  }
  /// Copies the head token without taking it; returns false if none is visible at this tick.
  bool peek(T& value) {
    const T* token = front();
    if (token != nullptr) value = *token;
    return token != nullptr;
  }
  /// The head token in place, until it is pulled; nullptr if none is visible at this tick.
  const T* front() {
    if (in_window()) return head();
    if (is_native()) return state_.native.find_token() ? state_.native.slot<T>() : nullptr;
    return engine::peek(graph_port().state_) ? graph_port().head() : nullptr;
  }
  /// Tells whether the writer has finished, this is visible, and every token was pulled.
  bool closed() {
    return is_native() ? state_.native.ring_end->actor->closed(*state_.native.ring_end)
                       : engine::channel_closed(graph_port().state_);
  }
  /// The time at which the head token became visible; ask only after `peek` or `front` found one. In real time it is no
  /// time of a clock but still tells which of two heads this actor saw first.
  Time front_time() const {
    if (is_native()) return state_.native.ring_end->actor->seen_at(*state_.native.ring_end);
    return Time::fs(state_.actor->grid.edge(state_.channel->head_visible()));
  }
  /// The time at which the token that was taken last became visible. It exists in virtual time only.
  Time came() const {
    const engine::Channel& channel = *state_.channel;
    return Time::fs(state_.actor->grid.edge(channel.visible(channel.popped() - 1)));
  }
  /// The rank by which arbiters break ties: the graph's priority, else the rank of the writer's name in natural order.
  int client_key() const { return state_.channel->client_key; }

 private:
  friend class engine::Wiring;
  friend struct engine::BurstPorts;
  friend struct engine::PortAccess;
  friend class Timer;
  friend class Occupancy;

  static constexpr std::size_t kStride = engine::slot_bytes<T>();

  const T* head() const { return &engine::token_at<T>(state_.cursor); }
  bool in_window() const {
    const Tick now = engine::running_now;  // read in each case, so that it stays in a register from port to port
    return state_.cursor != state_.window_end && engine::Channel::header_at(state_.cursor - kStride).popped_at != now;
  }
  /// Waits for the head token if it only takes time to become visible; opens a window of one token for it.
  bool wait_for_known_token() {
    if (state_.cursor == state_.stop ||
        engine::Channel::header_at(state_.cursor - kStride).popped_at == engine::running_now ||
        !engine::await_next(state_))
      return false;
    state_.window_end = state_.cursor + kStride;
    return true;
  }
  void take() {
    engine::Channel::header_at(state_.cursor).popped_at = engine::running_now;
    state_.cursor += kStride;
    if (state_.listener != nullptr) [[unlikely]]
      engine::tell_listener(state_);
  }
  bool is_native() const { return state_.native.ring_end != nullptr; }
  bool pull_native(T& value) {
    if (!state_.native.find_token()) return false;
    value = *state_.native.take<T>();
    return true;
  }
  const T* pull_in_place_native() { return state_.native.find_token() ? state_.native.take<T>() : nullptr; }
  const T& read_native() {
    state_.native.await_token();
    return *state_.native.take<T>();
  }
  // The engine's functions get the port in the graph: a loop that steps a copy can then keep the copy's port in
  // registers.
  In& graph_port() const { return reinterpret_cast<In&>(*state_.channel->reader_port); }

  const T* release_slowly() {
    const T* token = head();
    engine::release(state_);
    return token;
  }
  const T* claim_in_place() {
    engine::claim_token(state_);
    const T* token = head();
    take_claimed();
    return token;
  }
  /// Takes the head token after it has been claimed.
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

  engine::PortState state_;  // first in every port: see Wiring
};

/// Out is the writing end of a channel, a member of an actor.
///
///     struct Numbers {
///       isthmus::Out<int> out;
///       int next = 0;
///       void step() { out.push(next++); }
///       bool done() const { return next == 100; }
///     };
///
/// `push` waits for a free slot; the channel closes once the actor has finished. Mistakes that are told:
/// - A port that is left without a channel, or gets two: as of In.
/// - An actor with outputs alone that never ends: "numbers has no input and no done(): it would never finish".
/// - A push for which no reader will ever make room: the run ends in an error that names who waits for what.
template <class T>
class Out : private engine::Port {
  static_assert(std::is_trivially_copyable_v<T>,
                "a token is copied as bytes: give the channel a trivially copyable type");

 public:
  Out() : Out(nullptr) {}
  explicit Out(const char* name) : Port(Kind::out, name, &engine::kTokenType<T>, sizeof(Out)) {}

  /// Waits for a free slot and fills it.
  void push(const T& value) {
    if (!in_window()) [[unlikely]] {
      if (is_native()) return state_.native.push(value);
      const T copy = value;  // a copy, so that the value itself needs no address and may be stored field by field
      return graph_port().push_slowly(copy);
    }
    *place() = value;
    give();
  }
  /// Waits for a free slot; the token counts as pushed now. Fill it before the next access to any port.
  T& slot() {
    if (!in_window()) [[unlikely]]
      return is_native() ? state_.native.give_slot<T>() : graph_port().slot_slowly();
    T* token = place();
    give();
    return *token;
  }
  /// Tells whether a push at this tick would find a slot.
  bool room() {
    if (in_window()) return true;
    return is_native() ? state_.native.find_room() : engine::slot_free(graph_port().state_);
  }

 private:
  friend class engine::Wiring;
  friend struct engine::BurstPorts;
  friend struct engine::PortAccess;
  friend struct engine::Unwaiting;
  friend class Timer;

  static constexpr std::size_t kStride = engine::slot_bytes<T>();

  T* place() const { return std::launder(reinterpret_cast<T*>(state_.cursor + engine::value_offset<T>())); }
  bool in_window() const {
    const Tick now = engine::running_now;  // read in each case, so that it stays in a register from port to port
    return state_.cursor != state_.window_end && engine::Channel::header_at(state_.cursor - kStride).pushed_at != now;
  }
  void give() {
    engine::Channel::header_at(state_.cursor).pushed_at = engine::running_now;
    state_.cursor += kStride;
    if (state_.listener != nullptr) [[unlikely]]
      engine::tell_listener(state_);
  }
  bool is_native() const { return state_.native.ring_end != nullptr; }
  Out& graph_port() const { return reinterpret_cast<Out&>(*state_.channel->writer_port); }
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

/// The port access that a destructor may use: a wait that the end of a run cuts ends by an exception.
struct engine::Unwaiting {
  /// Pushes `value` if a slot is known to be free now, else returns false. Use it for channels that are never full:
  /// whether it is known may depend on the order in which actors run.
  template <class T>
  static bool push(Out<T>& port, const T& value) {
    if (port.is_native()) {
      if (!port.state_.native.find_room()) return false;
      port.state_.native.push(value);
      return true;
    }
    if (!slot_at_hand(port.state_)) return false;
    *port.place() = value;
    publish(port.state_);
    return true;
  }
};

}  // namespace isthmus
