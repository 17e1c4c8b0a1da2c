#pragma once

#include <compare>
#include <cstddef>

namespace isthmus {

/// An actor of one graph, whatever it is called: its place in the order in which they were added.
struct ActorId {
  std::size_t place;
  auto operator<=>(const ActorId&) const = default;
};

}  // namespace isthmus
