#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "isthmus/engine/port.hpp"

/// Tokens side by side that move at once: on threads all that are there, with one look and one publication, on a model
/// one, as `read_in_place` and `slot` move it. An actor that moves bursts is the same circuit as one that moves tokens,
/// and what it makes may not depend on how many a burst has.
///
///     struct Doubler {
///       isthmus::In<int> in{"in"};
///       isthmus::Out<int> out{"out"};
///       void step() {
///         isthmus::pass_burst(in, out, [](std::span<const int> from, std::span<int> to) {
///           for (std::size_t i = 0; i < to.size(); ++i) to[i] = 2 * from[i];
///           return to.size();
///         });
///       }
///     };
///
/// Each function calls `move` once with the tokens, in place, and moves as many from the first on as that returns, 1 or
/// more. `move` uses none of those ports; if it throws, the run ends.
namespace isthmus {

template <class F, class... Spans>
concept MovesBurst = requires(const F& move, Spans... tokens) {
  { move(tokens...) } -> std::convertible_to<std::size_t>;
};

namespace engine {

/// The access of bursts to ports.
struct BurstPorts {
  template <class Port>
  static NativePort* native(Port& port) {
    return port.is_native() ? &port.state_.native : nullptr;
  }
};

/// Moves as many tokens through both ports, whose ranges are open.
template <class T, class U, class F>
void move_alike(NativePort& one, NativePort& other, const F& move) {
  const std::span<T> tokens = one.burst<T>();
  const std::span<U> others = other.burst<U>();
  const std::size_t most = tokens.size() < others.size() ? tokens.size() : others.size();
  const std::size_t moved = move(tokens.first(most), others.first(most));
  other.advance<U>(moved);
  one.advance<T>(moved);
}

}  // namespace engine

/// Waits for a token, and takes those that `move(std::span<const T>)` has read; the actor finishes where the channel is
/// closed and drained.
template <class T, MovesBurst<std::span<const T>> F>
void read_burst(In<T>& in, const F& move) {
  if (auto* const native = engine::BurstPorts::native(in)) {
    native->await_token();
    native->template advance<T>(move(native->template burst<const T>()));
  } else {
    move(std::span<const T, 1>(&in.read_in_place(), 1));
  }
}

/// Does the same with two channels: waits for a token of the first, then of the second, and takes as many of both.
template <class T, class U, MovesBurst<std::span<const T>, std::span<const U>> F>
void read_burst(In<T>& in, In<U>& beside, const F& move) {
  auto* const one = engine::BurstPorts::native(in);
  auto* const other = engine::BurstPorts::native(beside);
  if (one != nullptr && other->slots.open()) [[likely]] {
    one->await_token();
    return engine::move_alike<const T, const U>(*one, *other, move);
  }
  const T& token = in.read_in_place();
  move(std::span<const T, 1>(&token, 1), std::span<const U, 1>(&beside.read_in_place(), 1));
}

/// Takes those of one channel if a token is visible now; else returns false and does not wait.
template <class T, MovesBurst<std::span<const T>> F>
bool pull_burst(In<T>& in, const F& move) {
  if (auto* const native = engine::BurstPorts::native(in)) {
    if (!native->find_token()) return false;
    native->template advance<T>(move(native->template burst<const T>()));
    return true;
  }
  const T* const token = in.pull_in_place();
  if (token != nullptr) move(std::span<const T, 1>(token, 1));
  return token != nullptr;
}

/// Waits for a free slot, and pushes those that `move(std::span<T>)` has filled.
template <class T, MovesBurst<std::span<T>> F>
void push_burst(Out<T>& out, const F& move) {
  if (auto* const native = engine::BurstPorts::native(out)) {
    native->await_room();
    native->template advance<T>(move(native->template burst<T>()));
  } else {
    move(std::span<T, 1>(&out.slot(), 1));
  }
}

/// Does the same with two channels, the second after the first, and pushes as many into both.
template <class T, class U, MovesBurst<std::span<T>, std::span<U>> F>
void push_burst(Out<T>& out, Out<U>& beside, const F& move) {
  auto* const one = engine::BurstPorts::native(out);
  auto* const other = engine::BurstPorts::native(beside);
  if (one != nullptr && other->slots.open()) [[likely]] {
    one->await_room();
    return engine::move_alike<T, U>(*one, *other, move);
  }
  // Waiting for the second slot takes time, in which the first may not stand empty.
  T token{};
  U token_beside{};
  move(std::span<T, 1>(&token, 1), std::span<U, 1>(&token_beside, 1));
  out.push(token);
  beside.push(token_beside);
}

/// Waits for a token, then for a free slot: `move(std::span<const T>, std::span<U>)` gets as many tokens as slots, and
/// makes one of each.
template <class T, class U, MovesBurst<std::span<const T>, std::span<U>> F>
void pass_burst(In<T>& in, Out<U>& out, const F& move) {
  auto* const from = engine::BurstPorts::native(in);
  auto* const to = engine::BurstPorts::native(out);
  if (from != nullptr && to->slots.open()) [[likely]] {
    from->await_token();
    return engine::move_alike<const T, U>(*from, *to, move);
  }
  // Waiting for the slot takes time, so the token is taken first.
  const T& token = in.read_in_place();
  move(std::span<const T, 1>(&token, 1), std::span<U, 1>(&out.slot(), 1));
}

}  // namespace isthmus
