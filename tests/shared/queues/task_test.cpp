// Tasks on cores: their values, who waits for whom, and what a circuit that keeps their queues does to it.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "isthmus/base/error.hpp"
#include "isthmus/shared/queues/task_graph.hpp"

namespace isthmus::queues {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t kLine = 64;

std::uint64_t value(std::uint32_t task, std::span<const std::byte> data, std::span<const std::uint64_t> before) {
  std::uint64_t sum = task + 1;
  for (const std::byte one : data) sum = sum * 1099511628211U + static_cast<std::uint64_t>(one);
  for (const std::uint64_t other : before) sum = (sum ^ other) * 1099511628211U;
  return sum;
}

/// Tasks that come after any before them.
TaskGraph any_graph(std::uint32_t seed, std::uint32_t tasks, Time work, std::uint32_t most_lines = 6) {
  std::mt19937 twister(seed);
  const auto dice = [&twister] { return static_cast<std::uint32_t>(twister()); };
  TaskGraph graph;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    Task task{.name = std::to_string(i), .work = work, .lines = 1 + dice() % most_lines, .after = {}};
    for (std::uint32_t other = 0; other < i; ++other)
      if (dice() % (4 + i) < 2) task.after.push_back(other);
    graph.tasks.push_back(task);
  }
  return graph;
}

TaskGraph chain(std::uint32_t tasks, Time work) {
  TaskGraph graph;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    graph.tasks.push_back({.name = std::to_string(i), .work = work, .lines = 2, .after = {}});
    if (i > 0) graph.tasks.back().after = {i - 1};
  }
  return graph;
}

TaskGraph apart(std::uint32_t tasks, Time work, std::uint32_t lines) {
  TaskGraph graph;
  for (std::uint32_t i = 0; i < tasks; ++i)
    graph.tasks.push_back({.name = std::to_string(i), .work = work, .lines = lines, .after = {}});
  return graph;
}

std::vector<std::byte> data_of(const TaskGraph& graph) {
  std::size_t lines = 0;
  for (const Task& task : graph.tasks) lines += task.lines;
  std::vector<std::byte> data(lines * kLine);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7 + i / 251);
  return data;
}

/// The value of a task by recursion, in an order of its own.
std::uint64_t expected(const TaskGraph& graph, std::span<const std::byte> data, std::uint32_t task,
                       std::vector<std::optional<std::uint64_t>>& known) {
  if (known[task]) return *known[task];
  std::vector<std::uint64_t> before;
  for (const std::uint32_t other : graph.tasks[task].after) before.push_back(expected(graph, data, other, known));
  std::size_t first = 0;
  for (std::uint32_t i = 0; i < task; ++i) first += graph.tasks[i].lines;
  known[task] = value(task, data.subspan(first * kLine, graph.tasks[task].lines * kLine), before);
  return *known[task];
}

struct Asked {
  Scheduling scheme = Scheduling::prefetch;
  int cores = 4;
  int depth = 4;
  std::vector<std::string> overrides{};
  const char* board = "model:xeon-fpga-v2";
  std::optional<std::uint32_t> stops_after{};
};

TaskRun run(const TaskGraph& graph, const Asked& asked) {
  const platform::Description board = platform::load(platform::file_of(asked.board), asked.overrides);
  const std::vector<std::byte> data = data_of(graph);
  return run_tasks(board, {.graph = graph,
                           .scheme = asked.scheme,
                           .cores = asked.cores,
                           .depth = asked.depth,
                           .data = data,
                           .value = value,
                           .stops_after = asked.stops_after});
}

/// Values as without a model, no task before those that it comes after, no two at once on a core.
void expect_right(const TaskGraph& graph, const TaskRun& result) {
  const std::vector<std::byte> data = data_of(graph);
  std::vector<std::optional<std::uint64_t>> known(graph.tasks.size());
  for (std::uint32_t task = 0; task < graph.tasks.size(); ++task) {
    EXPECT_EQ(result.values[task], expected(graph, data, task, known)) << task;
    const TaskTimes& times = result.tasks[task];
    EXPECT_GE(times.end - times.begin, graph.tasks[task].work);
    for (const std::uint32_t other : graph.tasks[task].after) EXPECT_LE(result.tasks[other].end, times.begin);
    for (std::uint32_t other = 0; other < task; ++other) {
      const TaskTimes& others = result.tasks[other];
      EXPECT_TRUE(others.core != times.core || others.end <= times.begin || times.end <= others.begin);
    }
  }
}

double seconds_of_tasks(const TaskRun& result) {
  double all = 0;
  for (const TaskTimes& task : result.tasks) all += (task.end - task.begin).seconds();
  return all / static_cast<double>(result.tasks.size());
}

TEST(Tasks, GiveTheValuesOfASequentialExecutionWhoeverHandsThemOut) {
  for (const char* board : {"model:xeon-fpga-v1", "model:xeon-fpga-v2"})
    for (const Scheduling scheme : {Scheduling::alone, Scheduling::queues, Scheduling::prefetch})
      for (const std::uint32_t seed : {1U, 2U, 3U}) {
        const TaskGraph graph = any_graph(seed, 40, Time::ns(200 * seed));
        expect_right(graph, run(graph, {.scheme = scheme, .cores = static_cast<int>(seed), .board = board}));
      }
}

TEST(Tasks, WaitWhereEveryQueueIsFull) {
  const TaskGraph graph = apart(60, Time::us(2), 3);
  const TaskRun result = run(graph, {.cores = 2, .depth = 1});
  expect_right(graph, result);
  const auto of_first = std::ranges::count(result.tasks, 0, &TaskTimes::core);
  EXPECT_EQ(of_first, 30) << "tasks of equal length are spread evenly";
}

TEST(Tasks, FewerThanCoresAreDoneAndTheOtherCoresEnd) {
  const TaskGraph graph = apart(1, Time::ns(500), 4);
  for (const Scheduling scheme : {Scheduling::alone, Scheduling::queues, Scheduling::prefetch})
    expect_right(graph, run(graph, {.scheme = scheme, .cores = 6}));
}

TEST(Tasks, WaitForACircuitThatIsSlowerThanTheCores) {
  const TaskGraph graph = any_graph(5, 30, Time::ns(100));
  const TaskRun slow = run(graph, {.overrides = {"kernel.clock=2MHz"}});
  expect_right(graph, slow);
  EXPECT_GT(slow.elapsed.seconds(), 5 * run(graph, {}).elapsed.seconds());
}

TEST(Tasks, AreGivenUpWithOneLineWhereTheCircuitStops) {
  const TaskGraph graph = any_graph(6, 30, Time::ns(100));
  EXPECT_THAT([&] { run(graph, {.stops_after = 10}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("20 are not done"), HasSubstr("the circuit has stopped"))));
}

// A core waits until all lines of the only task have come to the circuit, which takes longer than any work.
TEST(Tasks, OfManyLinesAreWaitedForUntilTheyAreThere) {
  const TaskRun result = run(apart(1, Time{}, 150'000), {.cores = 2, .board = "model:xeon-fpga-v1"});
  EXPECT_GT(result.tasks[0].begin, Time::us(1000 + 1000 / 200)) << "1 ms and 1000 cycles";
  EXPECT_GT(result.tasks[0].end, result.tasks[0].begin);
}

TEST(Tasks, ThatComeAfterAPlaceThatTheGraphHasNotAreRefused) {
  TaskGraph graph = apart(3, Time::ns(1), 1);
  graph.tasks[1].after = {3};
  EXPECT_THAT([&] { in_order(graph); },
              ThrowsMessage<Error>(HasSubstr("task '1': after: expected places of the graph's tasks, 0..2, got 3")));
}

TEST(Tasks, OfAChainTakeTheWayToTheCircuitAndBackEach) {
  const auto each = [](Scheduling scheme) {
    const Time shorter = run(chain(10, Time::ns(500)), {.scheme = scheme}).elapsed;
    const Time longer = run(chain(30, Time::ns(500)), {.scheme = scheme}).elapsed;
    return Time::fs((longer - shorter).femtoseconds() / 20);
  };
  // link.qpi.round_trip twice at least: the circuit sees that a task is done, and the core what comes next
  EXPECT_GT(each(Scheduling::queues), Time::ns(500 + 2 * 275));
  EXPECT_LT(each(Scheduling::alone), Time::ns(500 + 275));
}

TEST(Tasks, HaveTheirDataSoonerWhereTheyAreFetchedBeforehand) {
  const TaskGraph graph = apart(80, Time::us(1), 8);
  const TaskRun queues = run(graph, {.scheme = Scheduling::queues});
  const TaskRun prefetch = run(graph, {.scheme = Scheduling::prefetch});
  EXPECT_LT(seconds_of_tasks(prefetch), seconds_of_tasks(queues) - 60e-9);
  const std::vector<std::string> off{"host.llc.allocate_on_device_read=false"};
  EXPECT_GE(seconds_of_tasks(run(graph, {.scheme = Scheduling::prefetch, .overrides = off})),
            seconds_of_tasks(run(graph, {.scheme = Scheduling::queues, .overrides = off})));
}

TEST(Tasks, OfAGraphWithACycleAreRefused) {
  TaskGraph graph = chain(4, Time::ns(1));
  graph.tasks[1].after.push_back(3);
  EXPECT_THAT([&] { run(graph, {}); }, ThrowsMessage<Error>(HasSubstr("task '1': expected a graph without cycles")));
}

TEST(Tasks, NeedAQueueThatHoldsOne) {
  for (const int depth : {0, kMostDepth + 1})
    EXPECT_THAT([&] { run(chain(2, Time::ns(1)), {.depth = depth}); },
                ThrowsMessage<Error>(HasSubstr("expected 1..12 tasks, got")));
}

TEST(Tasks, InOrderComeBehindThoseThatTheyComeAfter) {
  TaskGraph graph = apart(5, Time::ns(1), 1);
  graph.tasks[0].after = {4};
  graph.tasks[4].after = {2, 3};
  EXPECT_THAT(in_order(graph), testing::ElementsAre(1, 2, 3, 4, 0));
}

}  // namespace
}  // namespace isthmus::queues
