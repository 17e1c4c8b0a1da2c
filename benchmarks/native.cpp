// The native back end's workloads: graphs of actors on threads, in wall time.
#include "isthmus/native.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "engine_actors.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/native/link.hpp"
#include "native_work.hpp"
#include "workload.hpp"

namespace isthmus::bench {
namespace {

constexpr ChannelOptions fifo(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

/// Small tokens are pushed, large ones built in place.
template <class Token>
struct NativeSource {
  Out<Token> out;
  Word count = 0;
  Word next = 0;
  void step() {
    if constexpr (large<Token>)
      fill(out.slot(), next++);
    else
      out.push(next++);
  }
  bool done() const { return next == count; }
};

template <class Token>
struct InPlaceStage {
  In<Token> in;
  Out<Token> out;
  void step() {
    const Token& token = in.read_in_place();
    map(token, out.slot());
  }
};

template <class Token>
struct InPlaceSink {
  In<Token> in;
  Word sum = 0;
  void step() { sum += total(in.read_in_place()); }
};

/// How the actors come to their workers: as the run finds best, or cut into two halves.
enum class Mapping { found, halves };

double run(Graph& graph, Mapping mapping) {
  return native::run(graph, {.workers = mapping == Mapping::halves ? 2 : 0}).elapsed.seconds();
}

/// A source, `stages`, a sink; `hops` is how many tokens move for one that arrives.
template <class Token, Mapping mapping = Mapping::found>
Measurement pipeline(int stages, int depth, Word tokens) {
  Graph graph;
  auto& source = graph.add<NativeSource<Token>>("source");
  source.count = tokens;
  auto* from = &source.out;
  for (int i = 0; i < stages; ++i) {
    auto& stage = graph.add<InPlaceStage<Token>>("stage" + std::to_string(i));
    graph.connect(*from, stage.in, fifo(depth));
    from = &stage.out;
  }
  auto& sink = graph.add<InPlaceSink<Token>>("sink");
  graph.connect(*from, sink.in, fifo(depth));
  const double seconds = run(graph, mapping);
  return {.seconds = seconds, .tokens = tokens, .checksum = sink.sum, .expected = expected_sum<Token>(stages, tokens)};
}

/// Eight actors on two workers, counted in tokens times channels, as a pair has one.
Measurement eight(Word tokens) {
  Measurement measurement = pipeline<Word>(6, 256, tokens / 7 + 1);
  measurement.tokens *= 7;
  return measurement;
}

/// Writes every byte of each buffer.
struct Filler {
  HostInput link;
  Word left;
  Filler(PinnedMemory& memory, Word buffers) : link(memory, Time()), left(buffers) {}
  void step() {
    Buffer buffer = link.acquire();
    fill_bytes(buffer.span(), left--);
    link.commit(std::move(buffer));
  }
  bool done() const { return left == 0; }
};

struct Summer {
  HostOutput link;
  Word left;
  Word sum = 0;
  Summer(PinnedMemory& memory, Word buffers) : link(memory, Time()), left(buffers) {}
  void step() {
    sum += sum_bytes(link.receive().span());
    --left;
  }
  bool done() const { return left == 0; }
};

Measurement hand_over(Word kib) {
  const Word buffers = kib / kHandedKib + 1;
  Graph graph;
  native::Link link(graph,
                    {.buffer_size = Bytes{static_cast<std::int64_t>(kHandedBytes)}, .input_buffers = kHandedBuffers});
  auto& filler = graph.add<Filler>("producer", {}, link.memory(), buffers);
  auto& summer = graph.add<Summer>("consumer", {}, link.memory(), buffers);
  link.hand_over(filler.link, summer.link);
  // As the two threads of the bare hand-over stand: what is measured is the link, not how long a mapping takes to find.
  const auto report = native::run(graph, {.workers = 2, .placement = {{"producer", 0}, {"pool", 0}, {"consumer", 1}}});
  return {.seconds = report.elapsed.seconds(),
          .tokens = buffers * kHandedKib,
          .checksum = summer.sum,
          .expected = expected_handed_sum(buffers)};
}

Measurement round_trip(Word trips) {
  Graph graph;
  std::vector<RingActor*> ring;
  for (int i = 0; i < 2; ++i) {
    auto& actor = graph.add<RingActor>("actor" + std::to_string(i));
    actor.first = i == 0;
    actor.laps = trips;
    ring.push_back(&actor);
  }
  graph.connect(ring[0]->out, ring[1]->in, fifo(4));
  graph.connect(ring[1]->out, ring[0]->in, fifo(4));
  const double seconds = run(graph, Mapping::halves);
  return {.seconds = seconds, .tokens = trips, .checksum = ring[0]->hops, .expected = 2 * trips};
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  return run_workload(argc, argv, std::string("Isthmus ") + isthmus::version(),
                      {{"pair8-d16", [](Word n) { return pipeline<Word>(0, 16, n); }},
                       {"pair8-d256", [](Word n) { return pipeline<Word>(0, 256, n); }},
                       {"pair64-d256", [](Word n) { return pipeline<Line>(0, 256, n); }},
                       {"pipeline3-d16", [](Word n) { return pipeline<Word>(1, 16, n); }},
                       {"pipeline3-d256", [](Word n) { return pipeline<Word>(1, 256, n); }},
                       {"pair8-d16-apart", [](Word n) { return pipeline<Word, Mapping::halves>(0, 16, n); }},
                       {"pair8-d256-apart", [](Word n) { return pipeline<Word, Mapping::halves>(0, 256, n); }},
                       {"pair64-d256-apart", [](Word n) { return pipeline<Line, Mapping::halves>(0, 256, n); }},
                       {"pipeline3-d16-apart", [](Word n) { return pipeline<Word, Mapping::halves>(1, 16, n); }},
                       {"pipeline3-d256-apart", [](Word n) { return pipeline<Word, Mapping::halves>(1, 256, n); }},
                       {"pipeline3-4k", [](Word n) { return pipeline<Page>(1, kPages, n); }},
                       {"eight", eight},
                       {"hand-over", hand_over},
                       {"round-trip", round_trip}});
}
