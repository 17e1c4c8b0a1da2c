// What observers of states are told, against the activity in the report; the file that a trace becomes is read back
// with Perfetto's own definitions in tests/python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <isthmus/base/error.hpp>
#include <isthmus/engine/graph.hpp>
#include <isthmus/engine/trace.hpp>
#include <isthmus/stream.hpp>
#include <map>

#include "base/temporary_folder.hpp"

namespace isthmus {
namespace {

struct Source {
  Out<int> out;
  Random random;
  int left = 2000;
  void step() {
    if (random.below(3) == 0) out.push(left--);
  }
  bool done() const { return left == 0; }
};
struct Stage {
  In<int> in;
  Out<int> out;
  void step() {
    int value = 0;
    if (in.pull(value)) out.push(value);
  }
};
struct Sink {
  In<int> in;
  Timer timer;
  int seen = 0;
  void step() {
    in.read();
    if (++seen % 100 == 0) timer.wait(Time::us(1));
  }
};

RunReport run(StateObserver* states, Time limit = Time::max()) {
  Graph graph(7);
  auto& source = graph.add<Source>("source", {.clock = Clock{Frequency::mhz(300)}});
  auto& stage = graph.add<Stage>("stage", {.clock = Clock{Frequency::mhz(250)}});
  auto& sink = graph.add<Sink>("sink");
  graph.connect(source.out, stage.in, {.depth = 8});
  graph.connect(stage.out, sink.in, {.depth = 8, .return_latency_time = Time::ns(3)});
  return graph.run({.limit = limit, .states = states});
}

/// Adds up what each actor did, and checks that its intervals leave no gap.
struct Sums final : StateObserver {
  std::map<std::string, std::map<State, Time>> of;
  std::map<std::string, Time> until;
  std::uint64_t intervals = 0;

  void interval(const std::string& actor, State state, Time begin, Time end) override {
    EXPECT_LT(begin, end);
    if (until.contains(actor)) {
      EXPECT_EQ(until[actor], begin) << actor;
    }
    until[actor] = end;
    of[actor][state] += end - begin;
    ++intervals;
  }
};

void expect_sums_of(const RunReport& report, Sums& sums) {
  for (const ActorReport& actor : report.actors) {
    EXPECT_EQ(sums.of[actor.name][State::busy], actor.busy) << actor.name;
    EXPECT_EQ(sums.of[actor.name][State::blocked], actor.blocked) << actor.name;
    EXPECT_EQ(sums.of[actor.name][State::starved], actor.starved) << actor.name;
  }
}

TEST(States, OfEachActorAddUpToItsActivity) {
  Sums sums;
  expect_sums_of(run(&sums), sums);
  EXPECT_GT(sums.intervals, 1000U);
}

TEST(States, OfARunThatItsLimitCutsEndAtTheLimit) {
  Sums sums;
  expect_sums_of(run(&sums, Time::us(2)), sums);
  for (const auto& [actor, until] : sums.until) EXPECT_EQ(until, Time::us(2)) << actor;
}

TEST(States, AreToldWithoutChangingTheRun) {
  Sums sums;
  const RunReport with = run(&sums);
  const RunReport without = run(nullptr);
  EXPECT_EQ(with.end, without.end);
  for (std::size_t i = 0; i < with.actors.size(); ++i) {
    EXPECT_EQ(with.actors[i].busy, without.actors[i].busy);
    EXPECT_EQ(with.actors[i].starved, without.actors[i].starved);
  }
}

TEST(TraceFile, StopsAtItsLimitAndSaysSo) {
  const TemporaryFolder folder;
  const auto file = folder / "full.perfetto-trace";
  TraceFile trace(file, {.most_bytes = 2000});
  run(&trace);
  const auto summary = trace.close();
  EXPECT_TRUE(summary.full);
  EXPECT_LE(std::filesystem::file_size(file), 2000U);
  EXPECT_EQ(std::filesystem::file_size(file), summary.bytes);
}

TEST(TraceFile, OfARunThatDidNotEndLeavesNothingBehind) {
  const TemporaryFolder folder;
  {
    TraceFile trace(folder / "a.perfetto-trace");
    trace.interval("part", State::busy, Time{}, Time::ns(5));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TraceFile, ThatCannotBeWrittenIsNamed) {
  EXPECT_THAT([] { TraceFile("/no/such/folder/a.perfetto-trace"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("/no/such/folder/a.perfetto-trace")));
}

}  // namespace
}  // namespace isthmus
