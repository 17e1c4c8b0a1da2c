// One graph on both back ends: the same structs run in exact virtual time and on threads of this machine. Tokens are
// equal; time is the model's alone. What nobody is to use is said to be unused.
#include <fmt/format.h>

#include <isthmus/engine/graph.hpp>
#include <isthmus/native.hpp>
#include <isthmus/stream.hpp>
#include <vector>

struct Numbers {
  isthmus::Out<int> out;
  int sent = 0;
  void step() { out.push(sent++); }
  bool done() const { return sent == 1000; }
};

struct Split {
  isthmus::In<int> in{"in"};
  isthmus::Out<int> even{"even"};
  isthmus::Out<int> odd{"odd"};
  void step() {
    const int number = in.read();
    (number % 2 == 0 ? even : odd).push(number);
  }
};

struct Collect {
  isthmus::In<int> in;
  std::vector<int> numbers{};
  void step() { numbers.push_back(in.read()); }
};

template <class Run>
std::vector<int> collected(Run run) {
  isthmus::Graph graph;
  const isthmus::ActorOptions clock{.clock = isthmus::Clock{isthmus::Frequency::mhz(250)}};
  auto& numbers = graph.add<Numbers>("numbers", clock);
  auto& split = graph.add<Split>("split", clock);
  auto& collect = graph.add<Collect>("collect", clock);
  graph.connect(numbers.out, split.in);
  graph.connect(split.even, collect.in);
  graph.unused(split.odd);
  run(graph);
  return collect.numbers;
}

int main() {
  const auto modelled = collected(
      [](isthmus::Graph& graph) { fmt::print("model: {} numbers end at {}\n", 1000, to_string(graph.run().end)); });
  const auto measured = collected([](isthmus::Graph& graph) {
    const auto report = isthmus::native::run(graph, {.workers = 2});
    fmt::print("threads: {}\n", to_string(report.outcome));
  });
  fmt::print("{} even numbers from each; {}\n", modelled.size(), modelled == measured ? "equal" : "DIFFERENT");
}
