// How full a store of entries was: against closed forms, and against the count of what moved, instant by instant.
#include "isthmus/engine/occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dice.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/stream.hpp"

namespace isthmus {
namespace {

constexpr Time kNoTime;

/// Sends requests while it has entries for them; each has a weight of its own, or none waits.
struct Sender {
  Out<int> requests{"requests"};
  In<int> back{"back"};
  std::vector<int> weights;
  std::vector<Time> pauses;  ///< before each
  int size;
  Occupancy window;
  Timer timer;
  std::size_t next = 0;
  int free;

  Sender(std::vector<int> of_each, std::vector<Time> before_each, int entries)
      : weights(std::move(of_each)),
        pauses(std::move(before_each)),
        size(entries),
        window("entries", entries, Occupancy::with<std::identity{}>(back)),
        free(entries) {}

  void step() {
    if (pauses[next] > kNoTime) timer.wait(pauses[next]);
    const int weight = weights[next++];
    window.want(weight);
    while (free < weight) {
      free += back.read();
      window.came_back();
    }
    free -= weight;
    window.take(weight);
    requests.push(weight);
  }
  bool done() const { return next == weights.size(); }
};

/// Serves each request for its time, one after the other.
struct Server {
  In<int> requests{"requests"};
  Out<int> back{"back"};
  std::vector<Time> times;
  Timer timer;
  std::size_t next = 0;
  explicit Server(std::vector<Time> of_each) : times(std::move(of_each)) {}
  void step() {
    const int weight = requests.read();
    if (times[next] > kNoTime) timer.wait(times[next]);
    ++next;
    back.push(weight);
  }
};

struct Bench {
  std::vector<int> weights{};
  std::vector<Time> pauses{};
  std::vector<Time> served{};
  int entries = 1;
  Time there;
  Time back;
};

/// Every push of the two channels, in the order of time.
struct Moves final : engine::ChannelObserver {
  std::vector<Time> requests;
  std::vector<Time> answers;
  void pushed(int channel, Time at) override { (channel == 0 ? requests : answers).push_back(at); }
  void popped(int, Time) override {}
};

RunReport run(const Bench& bench, Moves* moves = nullptr, const std::string& output = "") {
  Graph graph;
  auto& sender = graph.add<Sender>("sender", {}, bench.weights, bench.pauses, bench.entries);
  auto& server = graph.add<Server>("server", {}, bench.served);
  const int depth = static_cast<int>(bench.weights.size()) + 1;
  graph.connect(sender.requests, server.requests,
                {.depth = depth, .latency_time = bench.there, .return_latency_time = Time::fs(1)});
  graph.connect(server.back, sender.back,
                {.depth = depth, .latency_time = bench.back, .return_latency_time = Time::fs(1)});
  if (moves != nullptr) graph.observe(moves);
  if (output.empty()) return graph.run();
  return graph.run({.output = output == "sender" ? graph.id(sender) : graph.id(server)});
}

TEST(Occupancy, OneStreamOfRequestsFillsItsWindowAndGoesAtSizeOverRoundTrip) {
  constexpr int kRequests = 1000;
  constexpr int kEntries = 8;
  const Bench bench{.weights = std::vector<int>(kRequests, 1),
                    .pauses = std::vector<Time>(kRequests),
                    .served = std::vector<Time>(kRequests),
                    .entries = kEntries,
                    .there = Time::ns(600),
                    .back = Time::ns(400)};
  const RunReport report = run(bench);
  const OccupancyReport& window = report.occupancy("sender: entries");
  // Eight go at once, each eight one round trip after those before; the last come back after a whole one.
  EXPECT_EQ(window.taken, kRequests);
  EXPECT_EQ(window.round_trip.femtoseconds(), Time::ns(1000).femtoseconds() - Time::ns(400).femtoseconds() * 8 / 1000);
  EXPECT_EQ(report.end, Time::us(kRequests / kEntries - 1) + Time::ns(600));
  EXPECT_EQ(window.full, report.end);
}

TEST(Occupancy, AWindowLargerThanWhatIsUnderWayIsNeverFull) {
  const Bench bench{.weights = std::vector<int>(100, 1),
                    .pauses = std::vector<Time>(100, Time::ns(100)),
                    .served = std::vector<Time>(100),
                    .entries = 11,
                    .there = Time::ns(600),
                    .back = Time::ns(400)};
  const RunReport report = run(bench);
  const OccupancyReport& window = report.occupancy("sender: entries");
  EXPECT_EQ(window.full, Time{});
  EXPECT_EQ(window.taken, 100);
  // Ten are under way at any time but the first and last round trip.
  EXPECT_EQ(report.end, Time::us(10) + Time::ns(600));
}

/// Instants at which the count of entries under way changes, and by how much.
using Changes = std::vector<std::pair<std::int64_t, int>>;

struct Counted {
  std::int64_t full = 0;
  double entry_time = 0;
};

/// Counts instant by instant: full is the time from each taking until there is room for the next (or, after the last,
/// for another of its weight).
/// What is under way counts until the output has ended.
Counted count(const Bench& bench, const Moves& moves, std::int64_t end, std::int64_t output_end) {
  Changes back;
  for (std::size_t i = 0; i < moves.answers.size(); ++i)
    back.emplace_back((moves.answers[i] + bench.back).femtoseconds(), bench.weights[i]);
  Counted counted;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < moves.requests.size(); ++i) {
    const std::int64_t at = moves.requests[i].femtoseconds();
    taken += bench.weights[i];
    const int wanted = bench.weights[std::min(i + 1, bench.weights.size() - 1)];
    std::int64_t returned = 0;
    std::int64_t room = end;
    for (const auto& [time, weight] : back) {
      if (bench.entries - (taken - returned) >= wanted) break;
      returned += weight;
      if (bench.entries - (taken - returned) >= wanted) room = std::min(time, end);
    }
    if (bench.entries - (taken - 0) >= wanted) room = at;
    counted.full += std::max<std::int64_t>(0, room - at);
    counted.entry_time -= static_cast<double>(at) * bench.weights[i];
  }
  for (std::size_t i = 0; i < moves.requests.size(); ++i)
    counted.entry_time +=
        static_cast<double>(i < back.size() ? std::min(back[i].first, output_end) : output_end) * bench.weights[i];
  return counted;
}

TEST(Occupancy, IsWhatTheCountOfAllThatMovedSaysWhateverTheTimesAndWeights) {
  constexpr std::uint64_t kSeeds = 300;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    reference::Dice dice(seed);
    Bench bench{.entries = static_cast<int>(dice.between(1, 12)),
                .there = Time::ns(dice.between(1, 50)),
                .back = Time::ns(dice.between(1, 50))};
    const auto requests = dice.between(1, 60);
    const bool weighted = dice.chance(50);
    for (std::int64_t i = 0; i < requests; ++i) {
      bench.weights.push_back(weighted ? static_cast<int>(dice.between(1, bench.entries)) : 1);
      bench.pauses.push_back(Time::ns(dice.chance(50) ? dice.between(0, 80) : 0));
      bench.served.push_back(Time::ns(dice.between(0, 30)));
    }
    Moves moves;
    const std::string output = std::array{"", "sender", "server"}[static_cast<std::size_t>(dice.between(0, 2))];
    const RunReport report = run(bench, &moves, output);
    const OccupancyReport& window = report.occupancy("sender: entries");
    const Time output_end = output.empty() ? report.end : std::max(report.actor(output).finish, moves.requests.back());
    const Counted counted = count(bench, moves, report.end.femtoseconds(), output_end.femtoseconds());
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(window.full.femtoseconds(), counted.full);
    // Little's law: what was under way on average is the rate of taking times the round trip.
    EXPECT_NEAR(static_cast<double>(window.taken) * window.round_trip.seconds() * 1e15, counted.entry_time,
                static_cast<double>(window.taken) + 1e-9 * counted.entry_time);
    EXPECT_LE(window.full, report.end);
  }
}

/// Leaves its results where a poll finds them.
struct Worker {
  Out<int> results{"results"};
  std::vector<Time> pauses;
  Timer timer;
  std::size_t next = 0;
  explicit Worker(std::vector<Time> before_each) : pauses(std::move(before_each)) {}
  void step() {
    timer.wait(pauses[next++]);
    results.push(1);
  }
  bool done() const { return next == pauses.size(); }
};

struct Poll {
  In<int> results{"results"};
  Occupancy waiting{"waiting", 1};
  Timer timer;
  Time period;
  explicit Poll(Time between) : period(between) {}
  void step() {
    timer.wait(period);
    while (results.pull()) waiting.waited(results.came(), timer.now());
    if (results.closed()) results.read();
  }
  bool done() const { return false; }
};

TEST(Occupancy, OfAPollIsTheTimeInWhichSomethingWaitedForItsNextRound) {
  Graph graph;
  // They come at 3, 5, 25 and 40 us and are seen 1 us later; the rounds are at 10, 20, 30, ...
  auto& worker = graph.add<Worker>("worker", {}, std::vector{Time::us(3), Time::us(2), Time::us(20), Time::us(15)});
  auto& poll = graph.add<Poll>("poll", {}, Time::us(10));
  graph.connect(worker.results, poll.results,
                {.depth = 4, .latency_time = Time::us(1), .return_latency_time = Time::ns(1)});
  const OccupancyReport waiting = graph.run().occupancy("poll: waiting");
  EXPECT_EQ(waiting.taken, 4);
  EXPECT_EQ(waiting.full, Time::us((10 - 4) + (30 - 26) + (50 - 41)));
  EXPECT_EQ(waiting.round_trip, Time::fs(Time::us((10 - 4) + (10 - 6) + (30 - 26) + (50 - 41)).femtoseconds() / 4));
}

}  // namespace
}  // namespace isthmus
