#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <tuple>

#include "isthmus/engine/port.hpp"

namespace isthmus {

/// Inputs that lie side by side: a std::array of them, a PortArray or a span.
template <class Ports>
concept Inputs = std::ranges::contiguous_range<Ports> && requires(Ports& ports) {
  { ports[0].front_time() } -> std::same_as<Time>;
};

/// The places of the inputs that have to be polled one by one.
template <Inputs Ports>
auto to_poll(Ports& inputs) {
  if constexpr (requires { inputs.poll_heads(); })
    return inputs.poll_heads();
  else
    return std::views::iota(std::size_t{0}, std::size(inputs));
}

/// The input whose head came first among the heads visible at this tick; the client key breaks a tie (docs/time.md).
/// None if no head is visible.
template <Inputs Ports>
std::optional<std::size_t> first_come(Ports& inputs) {
  std::optional<std::size_t> first;
  const auto rank = [&](std::size_t i) { return std::tuple(inputs[i].front_time(), inputs[i].client_key()); };
  for (const std::size_t i : to_poll(inputs))
    if (inputs[i].front() != nullptr && (!first || rank(i) < rank(*first))) first = i;
  return first;
}

/// Serves clients in turn, in the order of their keys; the first turn is that of key 0.
class RoundRobin {
 public:
  /// The input whose turn it is among those with a head visible at this tick; none if no head is visible.
  template <Inputs Ports>
  std::optional<std::size_t> next(Ports& inputs) {
    std::optional<std::size_t> chosen;
    // Keys up to the last one served wait until all above have had their turn.
    const auto rank = [&](std::size_t i) {
      return std::tuple(inputs[i].client_key() <= last_key_, inputs[i].client_key());
    };
    for (const std::size_t i : to_poll(inputs))
      if (inputs[i].front() != nullptr && (!chosen || rank(i) < rank(*chosen))) chosen = i;
    if (chosen) last_key_ = inputs[*chosen].client_key();
    return chosen;
  }

 private:
  int last_key_ = -1;
};

}  // namespace isthmus
