// The actor alone, between one that writes a message and one that reads the result, in exact virtual time.
#include <cstdio>
#include <isthmus/engine/graph.hpp>
#include <vector>

#include "running_sum.hpp"

namespace {

constexpr std::uint32_t kWords = 4;

/// Two messages of ones.
struct Ones {
  isthmus::Out<isthmus::StreamWord> out;
  std::uint32_t next = 0;
  void step() {
    std::array<std::uint32_t, 16> ones;
    ones.fill(1);
    ++next;
    out.push({.data = std::bit_cast<isthmus::Word>(ones), .last = next % kWords == 0});
  }
  bool done() const { return next == 2 * kWords; }
};

/// Notes each number that is not the count of ones up to its place in its message.
struct Counts {
  isthmus::In<isthmus::StreamWord> in;
  std::uint32_t expected = 0;
  int read = 0;
  int wrong = 0;
  void step() {
    const isthmus::StreamWord word = in.read();
    for (const std::uint32_t number : std::bit_cast<std::array<std::uint32_t, 16>>(word.data)) {
      wrong += number != ++expected ? 1 : 0;
      ++read;
    }
    if (word.last) expected = 0;
  }
};

}  // namespace

int main() {
  const isthmus::ActorOptions clock{.clock = isthmus::Clock{isthmus::Frequency::mhz(250)}};
  isthmus::Graph graph;
  auto& ones = graph.add<Ones>("ones", clock);
  auto& sum = graph.add<RunningSum>("running sum", clock);
  auto& counts = graph.add<Counts>("counts", clock);
  graph.connect(ones.out, sum.in);
  graph.connect(sum.out, counts.in);
  graph.run();
  const bool right = counts.read == 2 * 16 * kWords && counts.wrong == 0;
  std::printf("%d numbers, %d wrong\n", counts.read, counts.wrong);
  return right ? 0 : 1;
}
