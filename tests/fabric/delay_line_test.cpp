// Requests under way: against closed forms, and against a model that goes from nanosecond to nanosecond.
#include "isthmus/fabric/delay_line.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <queue>

#include "engine/plain_actors.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::fabric {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Request {
  int id;
  Time latency;
};

/// Hands over each request when its time has come.
struct Source {
  Out<Request> out;
  std::vector<std::int64_t> times;      ///< in ns
  std::vector<std::int64_t> latencies;  ///< in ns
  Timer timer;
  std::size_t next = 0;
  Source(std::vector<std::int64_t> at, std::vector<std::int64_t> of_each)
      : times(std::move(at)), latencies(std::move(of_each)) {}
  void step() {
    timer.wait_until(Time::ns(times[next]));
    out.push({static_cast<int>(next), Time::ns(latencies[next])});
    ++next;
  }
  bool done() const { return next == times.size(); }
};

/// A part that takes `own` for each request, or what the request asks for.
struct Line {
  In<Request> in;
  Out<Request> out;
  std::optional<Time> own;
  DelayLine<Request> line;
  Timer timer;
  explicit Line(const DelayLineSpec& spec, std::optional<Time> latency = {}) : own(latency), line(spec) {}
  void step() {
    if (line.empty()) enter(in.read());
    for (Request request; !line.full() && in.pull(request);) enter(request);
    if (!line.await(timer)) return;
    out.push(line.next());
    line.leave(timer.now());
  }
  void enter(const Request& request) { line.enter(in.came(), own.value_or(request.latency), request); }
  bool done() const { return false; }
};

struct Taken {
  int id;
  std::int64_t at;  ///< in ns
  bool operator==(const Taken&) const = default;
};

std::ostream& operator<<(std::ostream& to, const Taken& taken) {
  return to << taken.id << " at " << taken.at << " ns";
}

/// Takes one after the other, with a pause after each.
struct Sink {
  In<Request> in;
  std::vector<std::int64_t> pauses;  ///< in ns
  std::vector<Taken> taken{};
  Timer timer{};
  explicit Sink(std::vector<std::int64_t> after_each) : pauses(std::move(after_each)) {}
  void step() {
    const Request request = in.read();
    taken.push_back({request.id, timer.now().femtoseconds() / Time::ns(1).femtoseconds()});
    timer.wait(Time::ns(pauses[taken.size() - 1]));
  }
};

struct Bench {
  DelayLineSpec line;
  std::vector<std::int64_t> arrivals;   ///< in ns, ascending; one is seen 1 ns later
  std::vector<std::int64_t> latencies;  ///< in ns, of each
  std::vector<std::int64_t> pauses;     ///< in ns, of the sink, after each
  int depth = 2;                        ///< of the channel to the sink
};

constexpr std::int64_t kHandOver = 1;  // ns, of each wire and of its slots' way back

/// `count` requests that are there from the start, to a sink that is always ready.
Bench saturated(const DelayLineSpec& line, int count, std::int64_t latency) {
  const auto n = static_cast<std::size_t>(count);
  return {.line = line,
          .arrivals = std::vector<std::int64_t>(n),
          .latencies = std::vector(n, latency),
          .pauses = std::vector<std::int64_t>(n),
          .depth = count};
}

std::vector<Taken> run(const Bench& bench) {
  Graph graph;
  auto& source = graph.add<Source>("source", {}, bench.arrivals, bench.latencies);
  auto& line = graph.add<Line>("line", {}, bench.line);
  auto& sink = graph.add<Sink>("sink", {}, bench.pauses);
  graph.connect(source.out, line.in, wire(static_cast<int>(bench.arrivals.size())));
  graph.connect(line.out, sink.in, wire(bench.depth));
  graph.run();
  return sink.taken;
}

/// The bench again, from nanosecond to nanosecond.
class Naive {
 public:
  explicit Naive(const Bench& bench) : bench_(bench) {}

  std::vector<Taken> run() {
    for (std::int64_t now = 0; taken_.size() < bench_.arrivals.size(); ++now) {
      sink(now);
      while (admit(now) || leave(now)) continue;
    }
    return taken_;
  }

 private:
  struct Inside {
    int id;
    std::int64_t end;
  };

  void sink(std::int64_t now) {
    while (taken_.size() < left_.size() && left_[taken_.size()].at + kHandOver <= now && now >= ready_) {
      taken_.push_back({left_[taken_.size()].id, now});
      ready_ = now + bench_.pauses[taken_.size() - 1];
    }
  }

  bool admit(std::int64_t now) {
    if (next_ == bench_.arrivals.size() || bench_.arrivals[next_] + kHandOver > now ||
        static_cast<std::int64_t>(inside_.size()) == bench_.line.entries)
      return false;
    inside_.push_back({static_cast<int>(next_), now + bench_.latencies[next_]});
    ++next_;
    return true;
  }

  bool leave(std::int64_t now) {
    if (inside_.empty() || !slot(now)) return false;
    auto first = inside_.begin();
    if (!bench_.line.in_order)
      for (auto one = inside_.begin(); one != inside_.end(); ++one)
        if (one->end < first->end) first = one;
    if (first->end > now) return false;
    left_.push_back({first->id, now});
    inside_.erase(first);
    return true;
  }

  bool slot(std::int64_t now) const {
    std::size_t back = 0;
    while (back < taken_.size() && taken_[back].at + kHandOver <= now) ++back;
    return left_.size() - back < static_cast<std::size_t>(bench_.depth);
  }

  const Bench& bench_;
  std::size_t next_ = 0;
  std::deque<Inside> inside_;
  std::vector<Taken> left_;
  std::vector<Taken> taken_;
  std::int64_t ready_ = 0;
};

TEST(DelayLine, EachTakesItsOwnTimeWhereThereIsRoomForAll) {
  Bench bench = saturated({.entries = 3, .least = Time::ns(5)}, 3, 0);
  bench.arrivals = {0, 10, 20};
  bench.latencies = {100, 30, 5};
  EXPECT_THAT(run(bench), ElementsAre(Taken{2, 27}, Taken{1, 42}, Taken{0, 102}))
      << "arrival, latency and a hand-over before and after";
}

TEST(DelayLine, InOrderTheFastWaitBehindTheSlow) {
  Bench bench = saturated({.entries = 3, .least = {}, .in_order = true}, 3, 0);
  bench.arrivals = {0, 10, 20};
  bench.latencies = {100, 30, 200};
  EXPECT_THAT(run(bench), ElementsAre(Taken{0, 102}, Taken{1, 102}, Taken{2, 222}));
}

TEST(DelayLine, OfThoseThatFinishTogetherTheOneThatCameFirstLeavesFirst) {
  Bench bench = saturated({.entries = 3, .least = Time::ns(1)}, 3, 0);
  bench.arrivals = {0, 10, 20};
  bench.latencies = {50, 40, 30};
  EXPECT_THAT(run(bench), ElementsAre(Taken{0, 52}, Taken{1, 52}, Taken{2, 52}));
}

// Little's law, to the nanosecond: of `count` that are there at once the last leaves after so many rounds of all
// entries as it takes.
TEST(DelayLine, BoundedItLetsThroughItsEntriesInALatency) {
  constexpr int kCount = 96;
  for (const bool in_order : {false, true})
    for (const std::int64_t entries : {1, 2, 3, 32, 96})
      for (const std::int64_t latency : {1, 7, 90}) {
        const auto taken =
            run(saturated({.entries = entries, .least = Time::ns(1), .in_order = in_order}, kCount, latency));
        const double seconds = static_cast<double>(taken.back().at - 2 * kHandOver);
        EXPECT_DOUBLE_EQ(kCount / seconds, static_cast<double>(entries) / static_cast<double>(latency))
            << entries << " entries, " << latency << " ns";
      }
}

struct Stage {
  std::int64_t entries;
  std::int64_t latency;  ///< in ns
};

/// When the last of `count` requests comes out of stages in order, one after the other, in ns.
std::int64_t last_of_chain(const std::vector<Stage>& stages, int count) {
  const auto n = static_cast<std::size_t>(count);
  Graph graph;
  auto& source = graph.add<Source>("source", {}, std::vector<std::int64_t>(n), std::vector<std::int64_t>(n));
  auto& sink = graph.add<Sink>("sink", {}, std::vector<std::int64_t>(n));
  Out<Request>* from = &source.out;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const DelayLineSpec spec{.entries = stages[i].entries, .least = {}, .in_order = true};
    auto& line = graph.add<Line>(fmt::format("stage {}", i), {}, spec, Time::ns(stages[i].latency));
    graph.connect(*from, line.in, wire(count));
    from = &line.out;
  }
  graph.connect(*from, sink.in, wire(count));
  graph.run();
  return sink.taken.back().at;
}

// The narrowest stage works without a pause from its first request on, and the others add their latencies to the last.
TEST(DelayLine, AChainInOrderTakesTheSumOfLatenciesAndThePaceOfItsNarrowestStage) {
  constexpr int kCount = 120;
  constexpr std::int64_t kHandOvers = 4 * kHandOver;
  const std::vector<Stage> narrow_in_the_middle{{8, 40}, {2, 50}, {4, 30}};
  const std::vector<Stage> narrow_at_the_end{{8, 40}, {4, 30}, {2, 50}};
  for (const auto& stages : {narrow_in_the_middle, narrow_at_the_end}) {
    EXPECT_EQ(last_of_chain(stages, kCount), kCount / 2 * 50 + 40 + 30 + kHandOvers);
    EXPECT_EQ(last_of_chain(stages, 1), 40 + 50 + 30 + kHandOvers) << "one alone has the latencies";
  }
}

TEST(DelayLine, RefusesWhatCannotBe) {
  const auto line = [](const DelayLineSpec& spec) { return [spec] { DelayLine<int>{spec}; }; };
  EXPECT_THAT(line({.entries = 0, .least = Time::ns(1)}), ThrowsMessage<Error>(HasSubstr("expected 1 or more, got 0")));
  EXPECT_THAT(line({.entries = 1, .least = {}}), ThrowsMessage<Error>(HasSubstr("a least latency above 0")));
  DelayLine<int> ten({.entries = 1, .least = Time::ns(10)});
  EXPECT_THAT([&] { ten.enter({}, Time::ns(9), 0); }, ThrowsMessage<Error>(HasSubstr("at least 10 ns, got 9 ns")));
}

std::vector<std::int64_t> numbers(std::size_t count, std::int64_t low, std::int64_t high) {
  return *rc::gen::container<std::vector<std::int64_t>>(count, rc::gen::inRange(low, high + 1));
}

Bench any_bench() {
  Bench bench;
  const std::int64_t least = *rc::gen::inRange(1, 20);
  bench.line = {.entries = *rc::gen::inRange(1, 9), .least = Time::ns(least), .in_order = *rc::gen::arbitrary<bool>()};
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  bench.arrivals = numbers(count, 0, *rc::gen::element(0, 3, 20, 60));
  for (std::size_t i = 1; i < count; ++i) bench.arrivals[i] += bench.arrivals[i - 1];
  bench.latencies = numbers(count, least, least + *rc::gen::element(0, 5, 100));
  bench.pauses = numbers(count, 0, *rc::gen::element(0, 10, 40));
  bench.depth = *rc::gen::inRange(2, 6);
  return bench;
}

RC_GTEST_PROP(DelayLine, PassesWhatTheNaiveModelPassesAtTheSameTimes, ()) {
  const Bench bench = any_bench();
  RC_ASSERT(run(bench) == Naive(bench).run());
}

// Walks of page tables: as many at once as there are walkers.
TEST(Entries, LetAsManyAtOnceThroughAsThereAre) {
  Entries walkers(4);
  constexpr Time kWalk = Time::ns(100);
  for (int i = 0; i < 20; ++i) {
    const Time begin = walkers.take();
    EXPECT_EQ(begin, Time::ns(i / 4 * 100));
    walkers.give(begin + kWalk);
  }
}

TEST(Entries, AreTakenOnlyOnceAllThatAreAskedForAreFree) {
  Entries queue(8);
  EXPECT_EQ(queue.take(6), Time{});
  queue.give(Time::ns(30), 4);
  queue.give(Time::ns(10), 2);
  EXPECT_EQ(queue.free(), 8);
  EXPECT_EQ(queue.take(4), Time::ns(10)) << "two that were never taken, two of the second";
  EXPECT_EQ(queue.take(3), Time::ns(30));
  EXPECT_EQ(queue.free(), 1);
}

RC_GTEST_PROP(Entries, AreThoseThatHaveBeenFreeForLongest, ()) {
  const auto size = *rc::gen::inRange(1, 20);
  Entries entries(size);
  using Times = std::priority_queue<Time, std::vector<Time>, std::greater<>>;
  Times each(std::greater<>{}, std::vector<Time>(static_cast<std::size_t>(size)));
  const auto steps = *rc::gen::inRange(1, 100);
  for (int i = 0; i < steps; ++i) {
    const auto amount = *rc::gen::inRange(1, size + 1);
    Time since;
    for (int entry = 0; entry < amount; ++entry) {
      since = each.top();
      each.pop();
    }
    RC_ASSERT(entries.take(amount) == since);
    const Time at = Time::ns(*rc::gen::inRange(0, 1000));
    for (int entry = 0; entry < amount; ++entry) each.push(at);
    entries.give(at, amount);
    RC_ASSERT(entries.free() == size);
  }
}

}  // namespace
}  // namespace isthmus::fabric
