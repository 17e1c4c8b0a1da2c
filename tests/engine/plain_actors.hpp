#pragma once

#include "isthmus/engine/graph.hpp"

namespace isthmus {

/// A channel of a nanosecond each way.
constexpr ChannelOptions wire(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

/// Takes what comes and keeps nothing of it.
template <class T>
struct Drain {
  In<T> in;
  void step() { in.read(); }
};

/// Finishes after ten tokens.
struct Quitter {
  In<int> in;
  int left = 10;
  void step() {
    in.read();
    --left;
  }
  bool done() const { return left == 0; }
};

/// Answers with the double.
struct Pong {
  In<int> in;
  Out<int> out;
  void step() { out.push(2 * in.read()); }
};

/// Hands on what comes.
template <class T>
struct Relay {
  In<T> in;
  Out<T> out;
  void step() { out.push(in.read()); }
};

}  // namespace isthmus
