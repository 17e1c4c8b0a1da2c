// The engine's workloads: graphs of actors, on one clock but for `crossing`.
#include <algorithm>
#include <string>
#include <vector>

#include "engine_actors.hpp"
#include "isthmus/base/version.hpp"
#include "isthmus/engine/graph.hpp"
#include "resident.hpp"
#include "workload.hpp"

namespace isthmus::bench {
namespace {

constexpr ChannelOptions fifo{.depth = 16};
constexpr Word kLeastEach = 2000;  // tokens of a pair
const ActorOptions clocked{.clock = Clock{Frequency::mhz(250)}};

double run(Graph& graph) {
  const double begin = processor_seconds();
  graph.run();
  return processor_seconds() - begin;
}

/// A source that starts a token every `interval` cycles, `stages`, a sink.
template <class Token, Taking taking>
Sink<Token, taking>& add_pipeline(Graph& graph, const std::string& name, int stages, int interval, Word tokens) {
  auto& source = graph.add<Source<Token>>(name + "source", {clocked.clock, interval});
  source.count = tokens;
  auto* from = &source.out;
  for (int i = 0; i < stages; ++i) {
    auto& stage = graph.add<Stage<Token, taking>>(name + "stage" + std::to_string(i), clocked);
    graph.connect(*from, stage.in, fifo);
    from = &stage.out;
  }
  auto& sink = graph.add<Sink<Token, taking>>(name + "sink", clocked);
  graph.connect(*from, sink.in, fifo);
  return sink;
}

template <class Token, Taking taking = Taking::read>
Measurement pipeline(int stages, int interval, Word tokens) {
  Graph graph;
  const auto& sink = add_pipeline<Token, taking>(graph, "", stages, interval, tokens);
  const double seconds = run(graph);
  return {.seconds = seconds, .tokens = tokens, .checksum = sink.sum, .expected = expected_sum<Token>(stages, tokens)};
}

Measurement ring4(Word hops) {
  const Word laps = (hops + 3) / 4;
  Graph graph;
  std::vector<RingActor*> ring;
  for (int i = 0; i < 4; ++i) {
    auto& actor = graph.add<RingActor>("actor" + std::to_string(i), clocked);
    actor.first = i == 0;
    actor.laps = laps;
    ring.push_back(&actor);
  }
  for (std::size_t i = 0; i < 4; ++i) graph.connect(ring[i]->out, ring[(i + 1) % 4]->in, fifo);
  const double seconds = run(graph);
  return {.seconds = seconds, .tokens = 4 * laps, .checksum = ring[0]->hops, .expected = 4 * laps};
}

/// Source, stage and sink on clocks of three sources; a period of two of them is no whole number of femtoseconds.
Measurement crossing(Word tokens) {
  constexpr ChannelOptions deep{.depth = 64};
  Graph graph;
  auto& source = graph.add<Source<Word>>("source", {.clock = Clock{Frequency::mhz(250)}});
  auto& stage = graph.add<Stage<Word, Taking::read>>("stage", {.clock = Clock{Frequency::mhz(300)}});
  auto& sink = graph.add<Sink<Word, Taking::read>>("sink", {.clock = Clock{{322'265'625, 1}}});
  source.count = tokens;
  graph.connect(source.out, stage.in, deep);
  graph.connect(stage.out, sink.in, deep);
  const double seconds = run(graph);
  return {.seconds = seconds, .tokens = tokens, .checksum = sink.sum, .expected = expected_sum<Word>(1, tokens)};
}

/// Pairs of a source and a sink, each pair busy with a token every 100 cycles: 1 % of the actors are busy at a time.
Measurement sparse(int actors, Word tokens) {
  // Enough that the first touch of a pair's memory is no great part of its cost.
  const Word each = std::max(tokens / static_cast<Word>(actors / 2), kLeastEach) + 1;
  const std::uint64_t before = resident_bytes();
  Graph graph;
  std::vector<const Sink<Word, Taking::read>*> sinks;
  for (int i = 0; i < actors / 2; ++i) {
    sinks.push_back(&add_pipeline<Word, Taking::read>(graph, "pair" + std::to_string(i) + ".", 0, 100, each));
  }
  const double seconds = run(graph);
  Word sum = 0;
  for (const auto* sink : sinks) sum += sink->sum;
  return {.seconds = seconds,
          .tokens = each * sinks.size(),
          .checksum = sum,
          .expected = expected_sum<Word>(0, each) * sinks.size(),
          .actor_bytes = (resident_bytes() - before) / static_cast<std::uint64_t>(actors)};
}

/// How long the source of a pipeline takes at least, and beyond that some room for what follows it.
Time behind(Word tokens) {
  return Time::ns(4 * static_cast<std::int64_t>(tokens + tokens / 8 + 1000));
}

/// A stage that sleeps until its source sends its second and last token, behind all that the others do.
Out<Word>& add_sleeper(Graph& graph, const std::string& name, Word tokens) {
  auto& source = graph.add<Seldom>(name + ".source", clocked);
  source.end = behind(tokens);
  auto& stage = graph.add<Stage<Word, Taking::pull>>(name + ".stage", clocked);
  graph.connect(source.out, stage.in, fifo);
  return stage.out;
}

/// A switch of which one input is busy.
Measurement ports(int count, Word tokens) {
  Graph graph;
  auto& source = graph.add<Source<Word>>("source", clocked);
  source.count = tokens;
  auto& crossbar = graph.add<Switch>("switch", clocked, count);
  auto& sink = graph.add<Sink<Word, Taking::read>>("sink", clocked);
  graph.connect(source.out, crossbar.in[0], fifo);
  for (int i = 1; i < count; ++i)
    graph.connect(add_sleeper(graph, "idle" + std::to_string(i), tokens), crossbar.in[static_cast<std::size_t>(i)],
                  fifo);
  graph.connect(crossbar.out, sink.in, fifo);
  const double seconds = run(graph);
  const auto idle = static_cast<Word>(count - 1);  // a stage makes 1 and 4 of 0 and 1
  return {.seconds = seconds,
          .tokens = tokens,
          .checksum = sink.sum,
          .expected = expected_sum<Word>(0, tokens) + idle * expected_sum<Word>(1, 2)};
}

/// A pipeline of 4 beside actors of which a third sleeps and the others are blocked.
Measurement idle(int idle_actors, Word tokens) {
  Graph graph;
  const auto& sink = add_pipeline<Word, Taking::read>(graph, "", 2, 1, tokens);
  for (int i = 0; i < idle_actors / 3; ++i) {
    const auto name = "idle" + std::to_string(i);
    auto& end = graph.add<Sink<Word, Taking::read>>(name + ".sink", clocked);
    graph.connect(add_sleeper(graph, name, tokens), end.in, fifo);
  }
  const double seconds = run(graph);
  return {.seconds = seconds, .tokens = tokens, .checksum = sink.sum, .expected = expected_sum<Word>(2, tokens)};
}

/// Boards that work on their blocks and meet their neighbours in a ring once a round: equal updates in all, so that
/// what one costs must not grow with the boards.
Measurement boards(int count, Word updates) {
  const Word rounds = updates / (kUnits * static_cast<Word>(count)) + 1;
  Graph graph;
  std::vector<BoardRank*> ranks;
  for (int i = 0; i < count; ++i) {
    const std::string board = "board" + std::to_string(i) + ".";
    auto& rank = graph.add<BoardRank>(board + "rank", clocked);
    rank.rounds = rounds;
    rank.first_block = static_cast<Word>(i) * rounds * kUnits;
    auto& memory = graph.add<BoardMemory>(board + "memory", clocked);
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
      auto& updater = graph.add<BoardUpdater>(board + "update" + std::to_string(unit), clocked);
      graph.connect(rank.work[unit], updater.work, fifo);
      graph.connect(updater.done, rank.updated[unit], fifo);
      graph.connect(updater.request, memory.requests[unit], fifo);
      graph.connect(memory.replies[unit], updater.reply, fifo);
    }
    ranks.push_back(&rank);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i)
    graph.connect(ranks[i]->next, ranks[(i + 1) % ranks.size()]->previous, fifo);
  const double seconds = run(graph);
  Word sum = 0;
  for (const auto* rank : ranks) sum += rank->sum;
  const Word tokens = rounds * kUnits * static_cast<Word>(count);
  return {.seconds = seconds, .tokens = tokens, .checksum = sum, .expected = pipeline_sum(tokens)};
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
  using namespace isthmus::bench;
  return run_workload(argc, argv, std::string("Isthmus ") + isthmus::version(),
                      {{"pipeline8", [](Word n) { return pipeline<Word>(1, 1, n); }},
                       {"pipeline64", [](Word n) { return pipeline<Line>(1, 1, n); }},
                       {"deep", [](Word n) { return pipeline<Word>(62, 1, n); }},
                       {"ring4", ring4},
                       {"crossing", crossing},
                       {"sparse", [](Word n) { return pipeline<Word>(1, 100, n); }},
                       {"pipeline8-pull", [](Word n) { return pipeline<Word, Taking::pull>(1, 1, n); }},
                       {"sparse-pull", [](Word n) { return pipeline<Word, Taking::pull>(1, 100, n); }},
                       {"sparse10", [](Word n) { return sparse(10, n); }},
                       {"sparse10000", [](Word n) { return sparse(10'000, n); }},
                       {"ports2", [](Word n) { return ports(2, n); }},
                       {"ports64", [](Word n) { return ports(64, n); }},
                       {"busy4", [](Word n) { return idle(0, n); }},
                       {"busy4-idle60", [](Word n) { return idle(60, n); }},
                       {"boards4", [](Word n) { return boards(4, n); }},
                       {"boards64", [](Word n) { return boards(64, n); }}});
}
