// Graphs of tasks in files and drawn, and what is said of a file that holds none.
#include <gmock/gmock.h>

#include "apps/parts.hpp"
#include "apps/task_graph/graph.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

queues::TaskGraph graph(const std::string& text) {
  const TemporaryFolder folder;
  return graph_of(folder.written("graph.json", text));
}

TEST(TaskGraphFile, NamesTasksWithTheirWorkLinesAndThoseBeforeThem) {
  const queues::TaskGraph read = graph(R"({"tasks": [{"name": "b", "work_ns": 2.5, "lines": 3, "after": ["a"]},
                                                     {"name": "a", "work_ns": 0}]})");
  ASSERT_EQ(read.tasks.size(), 2U);
  EXPECT_EQ(read.tasks[0].work, Time::ps(2500));
  EXPECT_EQ(read.tasks[0].lines, 3U);
  EXPECT_THAT(read.tasks[0].after, ElementsAre(1));
  EXPECT_EQ(read.tasks[1].lines, 1U);
  EXPECT_THAT(read.tasks[1].after, IsEmpty());
}

TEST(TaskGraphFile, IsRefusedInOneLineThatNamesWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& what) {
    EXPECT_THAT([&] { graph(text); }, ThrowsMessage<Error>(HasSubstr("graph.json: " + what))) << text;
  };
  refused("tasks", "expected JSON");
  refused(R"({"task": []})", "unknown key 'task': expected tasks; did you mean 'tasks'?");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1}], "cores": 3})", "unknown key 'cores': expected tasks");
  refused(R"({"tasks": [{"name": "a", "work_ns": 6e11}, {"name": "b", "work_ns": 6e11}]})",
          "tasks[1]: key 'work_ns': expected at most 1000000000000 of all tasks together, got 1200000000000");
  refused("[]", "key 'tasks': expected an array");
  refused(R"({"tasks": []})", "key 'tasks': expected an array of 1 task or more");
  refused(R"({"tasks": [3]})", "tasks[0]: expected an object");
  refused(R"({"tasks": [{"work_ns": 1}]})", "tasks[0]: key 'name': expected a text");
  refused(R"({"tasks": [{"name": "a"}]})", "tasks[0]: key 'work_ns': expected a number of 0..1000000000000");
  refused(R"({"tasks": [{"name": "a", "work_ns": -1}]})", "tasks[0]: key 'work_ns'");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1, "lines": 1.5}]})", "tasks[0]: key 'lines': expected a whole");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1, "line": 1}]})", "tasks[0]: key 'line': expected name, work_ns");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1}, {"name": "a", "work_ns": 1}]})", "tasks[1]: key 'name'");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1, "after": ["b"]}]})", R"(task 'a': key 'after': expected names of)");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1, "after": "b"}]})", "task 'a': key 'after': expected an array");
  refused(R"({"tasks": [{"name": "a", "work_ns": 1, "after": ["a"]}]})", "task 'a': expected a graph without cycles");
}

TEST(TaskGraph, IsNotDrawnOfMoreWorkThanAFileMayHave) {
  EXPECT_THAT([] { drawn_graph({.tasks = 2000, .lines = 1, .work = Time::ms(1000), .seed = 1}); },
              ThrowsMessage<Error>(HasSubstr("--tasks, --work: expected at most 1000000000000 ns")));
  EXPECT_EQ(drawn_graph({.tasks = 1000, .lines = 1, .work = Time::ms(1000), .seed = 1}).tasks.size(), 1000U);
}

TEST(Parts, OfSeveralRunsAddUpAndTakeTheMeanRoundTrip) {
  const auto part = [](int us, std::int64_t taken, int trip) {
    return platform::Part{
        .name = "reads",
        .keys = {"link"},
        .busy = Time::us(us),
        .starved = Time::us(2 * us),
        .blocked = Time::us(3 * us),
        .lifetime = Time::us(6 * us),
        .works = false,
        .window = platform::Window{.size = 8, .counts = "tags", .taken = taken, .round_trip = Time::ns(trip)}};
  };
  std::vector<platform::Part> sum;
  add_parts(sum, {part(1, 30, 100)});
  add_parts(sum, {part(10, 10, 500)});
  ASSERT_EQ(sum.size(), 1U);
  EXPECT_EQ(sum[0].busy, Time::us(11));
  EXPECT_EQ(sum[0].starved, Time::us(22));
  EXPECT_EQ(sum[0].blocked, Time::us(33));
  EXPECT_EQ(sum[0].lifetime, Time::us(66));
  EXPECT_FALSE(sum[0].works);
  const platform::Window window = sum[0].window.value_or(platform::Window{});
  EXPECT_EQ(window.taken, 40);
  EXPECT_EQ(window.round_trip, Time::ns(200));
  EXPECT_EQ(window.size, 8);
}

TEST(TaskGraph, IsDrawnAnewBySeedWithAsManyTasksAndWorkAroundTheMean) {
  const GraphDraw draw{.tasks = 2000, .lines = 5, .work = Time::ns(100), .seed = 1};
  GraphDraw other = draw;
  other.seed = 2;
  const queues::TaskGraph graph = drawn_graph(draw);
  double work = 0;
  double edges = 0;
  for (const queues::Task& task : graph.tasks) {
    EXPECT_EQ(task.lines, 5U);
    work += task.work.seconds() / 2000;
    edges += static_cast<double>(task.after.size());
  }
  EXPECT_NEAR(work, 100e-9, 3e-9);
  EXPECT_GT(edges, 2000);
  EXPECT_EQ(queues::in_order(graph).size(), 2000U);
  EXPECT_NE(drawn_graph(other).tasks[7].work, graph.tasks[7].work);
}

}  // namespace
}  // namespace isthmus::apps
