#pragma once

#include "engine/plain_actors.hpp"

namespace isthmus::reference {

inline const Clock kClock{Frequency::mhz(1000), 0, 1, ""};

struct Source {
  Out<int> out;
  int sent = 0;
  int count = 10;
  void step() {
    out.push(sent);
    ++sent;
  }
  bool done() const { return sent == count; }
};
struct Sink {
  In<int> in;
  int got = 0;
  void step() {
    int value = 0;
    if (in.pull(value)) ++got;
  }
};
using Relay = isthmus::Relay<int>;

/// A source and what it feeds.
template <class To = Sink>
struct Fed {
  Source& source;
  To& sink;
};
template <class To = Sink>
Fed<To> add_fed(Graph& graph, const ActorOptions& reader = {.clock = kClock}, const ChannelOptions& channel = {}) {
  const Fed<To> fed{graph.add<Source>("source", {.clock = kClock}), graph.add<To>("sink", reader)};
  graph.connect(fed.source.out, fed.sink.in, channel);
  return fed;
}

}  // namespace isthmus::reference
