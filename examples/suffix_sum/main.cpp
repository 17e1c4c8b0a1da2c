// Listing 1 of stacc: an actor that sums up what it reads and stops once the sum has reached 128.
#include <fmt/format.h>

#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>

struct SuffixSum {
  isthmus::In<int> in;
  isthmus::Out<int> out;
  int sum = 0;   // persistent state
  void step() {  // actor routine, once a cycle
    int data;    // temporal state
    if (in.pull(data)) {
      sum += data;
      out.push(sum);
    }
  }
  bool done() const { return sum >= 128; }  // stop condition
};

struct Numbers {
  isthmus::Out<int> out;
  int last = 0;
  void step() { out.push(++last); }
  bool done() const { return last == 16; }
};

struct Printer {
  isthmus::In<int> in;
  isthmus::Timer timer;
  void step() {
    const int sum = in.read();
    fmt::print("{:>5}  {}\n", to_string(timer.now()), sum);
  }
};

int main() {
  const isthmus::ActorOptions clock{.clock = isthmus::Clock{isthmus::Frequency::mhz(250)}};
  isthmus::Graph graph;
  auto& numbers = graph.add<Numbers>("numbers", clock);
  auto& sum = graph.add<SuffixSum>("suffix sum", clock);
  auto& printer = graph.add<Printer>("printer", clock);
  graph.connect(numbers.out, sum.in);
  graph.connect(sum.out, printer.in);
  const auto report = graph.run();
  fmt::print("{} at {}\n", to_string(report.outcome), to_string(report.end));
}
