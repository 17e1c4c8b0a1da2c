// Two clocks: a channel carries tokens from an actor at 300 MHz to one at 200 MHz. A token is seen at an edge of the
// reader's clock, after the latency and the two cycles that a synchroniser loses; none where both come from one PLL.
#include <fmt/format.h>

#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>

struct Numbers {
  isthmus::Out<int> out;
  isthmus::Timer timer;
  int sent = 0;
  void step() {
    fmt::print("{:>9}  sent {}\n", to_string(timer.now()), sent);
    out.push(sent++);
  }
  bool done() const { return sent == 4; }
};

struct Printer {
  isthmus::In<int> in;
  isthmus::Timer timer;
  void step() {
    const int number = in.read();
    fmt::print("{:>9}  {:>10} {}\n", to_string(timer.now()), "seen", number);
  }
};

void run(const std::string& pll) {
  isthmus::Graph graph;
  const isthmus::Clock fast{.frequency = isthmus::Frequency::mhz(300), .pll = pll};
  const isthmus::Clock slow{.frequency = isthmus::Frequency::mhz(200), .pll = pll};
  auto& numbers = graph.add<Numbers>("numbers", {.clock = fast});
  auto& printer = graph.add<Printer>("printer", {.clock = slow});
  graph.connect(numbers.out, printer.in, {.depth = 8});
  fmt::print("{} at {}\n", pll.empty() ? "clocks of their own" : "clocks of one PLL", to_string(graph.run().end));
}

int main() {
  run("");
  run("PLL 0");
}
