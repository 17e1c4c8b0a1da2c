#pragma once

#include <compare>
#include <cstddef>

namespace isthmus {

/// The identity of an actor in one graph, which does not depend on its name: its place in the order in which actors
/// were added.
struct ActorId {
  std::size_t place;
  auto operator<=>(const ActorId&) const = default;
};

}  // namespace isthmus
