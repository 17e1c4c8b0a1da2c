#pragma once

#include <vector>

#include "engine/plain_actors.hpp"
#include "isthmus/native.hpp"

namespace isthmus {

inline constexpr int kCount = 20'000;

struct Source {
  Out<int> out;
  int count = kCount;
  int next = 0;
  void step() { out.push(next++); }
  bool done() const { return next == count; }
};

struct Sink {
  In<int> in;
  std::vector<int> got;
  void step() { got.push_back(in.read()); }
};

inline std::vector<int> upto(int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

/// An actor that feeds another.
template <class From = Source, class To = Sink>
struct Pair {
  Graph graph;
  From& source = graph.add<From>("source");
  To& sink = graph.add<To>("sink");
  explicit Pair(int depth = 16) { graph.connect(source.out, sink.in, wire(depth)); }
};

/// An actor between two others.
template <class From, class Through, class To>
struct Chain {
  Graph graph;
  From& from;
  Through& through;
  To& to;
  explicit Chain(int depth, const ActorOptions& options = {})
      : from(graph.add<From>("from", options)),
        through(graph.add<Through>("through", options)),
        to(graph.add<To>("to", options)) {
    graph.connect(from.out, through.in, wire(depth));
    graph.connect(through.out, to.in, wire(depth));
  }
};

/// Two actors that feed each other.
template <class One, class Other>
struct Ring {
  Graph graph;
  One& one = graph.add<One>("one");
  Other& other = graph.add<Other>("other");
  explicit Ring(int depth) {
    graph.connect(one.out, other.in, wire(depth));
    graph.connect(other.out, one.in, wire(depth));
  }
};

}  // namespace isthmus
