#pragma once

#include <vector>

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

/// A source and a sink at `depth`.
struct Pair {
  Graph graph;
  Source& source = graph.add<Source>("source");
  Sink& sink = graph.add<Sink>("sink");
  explicit Pair(int depth = 16) {
    graph.connect(source.out, sink.in,
                  {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
  }
};

constexpr ChannelOptions wire(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

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

}  // namespace isthmus
