#pragma once

#include "isthmus/engine/graph.hpp"

namespace isthmus::program {

/// A channel between parts of which one has no clock and which nothing lies between: a nanosecond each way, on threads
/// none.
constexpr ChannelOptions unclocked(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

}  // namespace isthmus::program
