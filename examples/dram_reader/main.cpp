// A DRAM reader: an actor of a streaming kernel reads the memory of a modelled board (AWS F1). One read at a time pays
// the whole latency for each word; requests that overlap pay it once.
#include <fmt/format.h>

#include <isthmus/fabric/device_memory.hpp>
#include <isthmus/platform/board.hpp>
#include <isthmus/platform/description.hpp>
#include <isthmus/stream.hpp>

namespace platform = isthmus::platform;

struct Reader {
  isthmus::Out<isthmus::DramReadReq> requests{"requests"};
  isthmus::In<isthmus::DramReadResp> words{"words"};
  isthmus::Timer timer;
  int under_way;  // at most
  int asked = 0;
  int came = 0;
  isthmus::Time last{};
  explicit Reader(int at_once) : under_way(at_once) {}
  void step() {
    if (asked < 64 && asked - came < under_way) {
      requests.push({.num = 1, .addr = static_cast<std::uint64_t>(asked) * isthmus::kWordBytes});
      ++asked;
    }
    if (words.pull()) ++came;
    last = timer.now();
  }
  bool done() const { return came == 64; }
};

int main() {
  const platform::Description f1 = platform::load(platform::file_of("model:aws-f1"));
  const platform::BoardSpec spec{.memory = platform::board_spec(f1).memory};  // no link: nobody else is here
  const isthmus::Clock clock{f1.frequency("kernel.clock")};
  for (const int under_way : {1, 4, 16, 64}) {
    isthmus::fabric::DeviceMemory memory = platform::device_memory(spec);
    memory.cells(0).reserve(0, 64 * isthmus::kWordBytes);
    isthmus::Graph graph;
    platform::Board board(graph, spec, memory);
    auto& reader = graph.add<Reader>("reader", {.clock = clock}, under_way);
    const platform::DramReadEnds ends = board.add_streaming_reader({.name = "memory", .clock = clock});
    graph.connect(reader.requests, ends.requests);
    graph.connect(ends.words, reader.words);
    board.connect_memory();
    graph.run();
    const double ns = reader.last.seconds() * 1e9;
    fmt::print("{:>2} under way: 64 words in {:>6.0f} ns, {:>3.0f} ns each\n", under_way, ns, ns / 64);
  }
}
