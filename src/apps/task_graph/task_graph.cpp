// Tasks that depend on each other, on cores whose queues a circuit keeps (gemieux2018, IV).

#include <algorithm>
#include <cstring>
#include <memory>

#include "apps/parts.hpp"
#include "apps/task_graph/graph.hpp"
#include "isthmus/application/application.hpp"
#include "isthmus/base/random.hpp"
#include "isthmus/base/summary.hpp"
#include "isthmus/platform/shared_board.hpp"

namespace isthmus::apps {
namespace {

using program::Together;
using queues::Task;

/// What the data are counted in, whatever the line of a board is.
constexpr std::size_t kLine = 64;

/// What a run is of, and what came of it.
struct GraphRun {
  std::optional<GraphDraw> draw{};  ///< none if the graph comes from a file
  queues::TaskGraph graph{};
  queues::Scheduling scheme = queues::Scheduling::prefetch;
  int cores = 4;
  int depth = 4;

  Time elapsed{};
  std::vector<double> executions{};  ///< seconds from a core's taking a task to its value
  std::vector<double> waits{};       ///< seconds from the last value that a task takes to a core's taking it

  std::size_t lines() const {
    std::size_t all = 0;
    for (const Task& task : graph.tasks) all += task.lines;
    return all;
  }
};

void open(GraphRun& run, std::uint64_t seed) {
  run.elapsed = {};
  run.executions.clear();
  run.waits.clear();
  if (!run.draw) return;
  run.draw->seed = seed;
  run.graph = drawn_graph(*run.draw);
}

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t place) {
  std::uint64_t word = 0;
  std::memcpy(&word, &bytes[place * sizeof(word)], sizeof(word));
  return word;
}

/// What a task gives: each word of its data and each value before it turns it into another.
std::uint64_t value_of(std::uint32_t task, std::span<const std::byte> data, std::span<const std::uint64_t> before) {
  std::uint64_t value = mixed(task);
  for (std::size_t word = 0; word < data.size() / sizeof(word); ++word) value = mixed(value ^ word_at(data, word));
  for (const std::uint64_t other : before) value = mixed(value ^ other);
  return value;
}

/// Task after task, by one core without a model.
void in_sequence(const queues::TaskGraph& graph, std::span<const std::uint64_t> data, std::span<std::uint64_t> values) {
  std::vector<std::size_t> first;
  std::size_t lines = 0;
  for (const Task& task : graph.tasks) {
    first.push_back(lines);
    lines += task.lines;
  }
  for (const std::uint32_t number : queues::in_order(graph)) {
    const Task& task = graph.tasks[number];
    std::vector<std::uint64_t> before;
    before.reserve(task.after.size());
    for (const std::uint32_t other : task.after) before.push_back(values[other]);
    values[number] = value_of(number, std::as_bytes(data).subspan(first[number] * kLine, task.lines * kLine), before);
  }
}

/// The graph and its data on a board, each task's data from a line on.
struct LaidOut {
  queues::TaskGraph graph;
  std::vector<std::byte> data;
};

LaidOut laid_out(const queues::TaskGraph& graph, std::span<const std::byte> data, std::size_t line) {
  LaidOut made{.graph = graph, .data = {}};
  for (Task& task : made.graph.tasks) {
    const std::size_t bytes = task.lines * kLine;
    made.data.insert(made.data.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(bytes));
    made.data.resize((made.data.size() + line - 1) / line * line);
    data = data.subspan(bytes);
    task.lines = static_cast<std::uint32_t>((bytes + line - 1) / line);
  }
  return made;
}

queues::TaskRun run_one(const GraphRun& run, const platform::Description& board, std::span<const std::byte> data) {
  const LaidOut made = laid_out(run.graph, data, static_cast<std::size_t>(platform::shared_spec(board).coherence.line));
  return queues::run_tasks(board, {.graph = made.graph,
                                   .scheme = run.scheme,
                                   .cores = run.cores,
                                   .depth = run.depth,
                                   .data = made.data,
                                   .value = [&](std::uint32_t task, std::span<const std::byte> of_task,
                                                std::span<const std::uint64_t> before) {
                                     return value_of(task, of_task.first(run.graph.tasks[task].lines * kLine), before);
                                   }});
}

void note(GraphRun& run, const queues::TaskRun& result) {
  run.elapsed += result.elapsed;
  for (std::size_t task = 0; task < result.tasks.size(); ++task) {
    const queues::TaskTimes& times = result.tasks[task];
    Time ready;
    for (const std::uint32_t other : run.graph.tasks[task].after) ready = std::max(ready, result.tasks[other].end);
    run.executions.push_back((times.end - times.begin).seconds());
    run.waits.push_back((times.begin - ready).seconds());
  }
}

Together run_together(GraphRun& run, const platform::Description& board, const program::TogetherJob& job) {
  Together together;
  Time worked;
  program::Exchange& messages = job.messages;
  for (int message = 0; message < job.count; ++message) {
    const queues::TaskRun result = run_one(run, board, messages.input(message));
    std::memcpy(messages.output(message).data(), result.values.data(), result.values.size() * sizeof(std::uint64_t));
    messages.finished(message);
    note(run, result);
    for (const Task& task : run.graph.tasks) worked += task.work;
    together.elapsed += result.elapsed;
    together.latencies.push_back(result.elapsed);
    add_parts(together.parts, result.parts);
  }
  together.lasted = together.parts.front().lifetime;
  together.stages = {{"work of a core", Time::seconds(worked.seconds() / run.cores)}};
  return together;
}

void tell(std::vector<std::pair<std::string, double>>& told, const std::string& name, std::vector<double> of) {
  std::ranges::sort(of);
  told.insert(told.end(), {{name + ".p50_s", percentile(of, 0.5)},
                           {name + ".p99_s", percentile(of, 0.99)},
                           {name + ".p999_s", percentile(of, 0.999)},
                           {name + ".max_s", of.back()}});
}

std::vector<std::pair<std::string, double>> told(const GraphRun& run) {
  std::vector<std::pair<std::string, double>> told{
      {"tasks_per_s", static_cast<double>(run.executions.size()) / run.elapsed.seconds()}};
  tell(told, "task_times", run.executions);
  tell(told, "waiting_times", run.waits);
  return told;
}

std::shared_ptr<GraphRun> run_of(const program::Values& values) {
  auto run = std::make_shared<GraphRun>();
  const auto count = [&](const char* name) { return static_cast<std::uint32_t>(values.integer(name)); };
  if (values.has("input")) {
    run->graph = graph_of(values.text("input"));
  } else {
    const GraphDraw draw{
        .tasks = count("tasks"), .lines = count("lines"), .work = Time::seconds(values.number("work") * 1e-9)};
    run->draw = draw;
    run->graph = drawn_graph(draw);
  }
  const auto named = std::ranges::find(queues::kSchemes, values.text("scheme"));
  run->scheme = static_cast<queues::Scheduling>(named - std::begin(queues::kSchemes));
  run->cores = static_cast<int>(count("cores"));
  run->depth = static_cast<int>(count("depth"));
  return run;
}

program::ByteApplication of_values(const program::Values& values) {
  const std::shared_ptr<GraphRun> run = run_of(values);
  program::Extras extras{.counted = "graphs", .count = 4};
  extras.open = [run](const program::Opening& opening) { open(*run, opening.seed); };
  extras.told = [run] { return told(*run); };
  extras.together = [run](const platform::Description& board, const program::TogetherJob& job) {
    return run_together(*run, board, job);
  };
  extras.facts = {{"tasks", static_cast<std::int64_t>(run->graph.tasks.size())}};
  extras.place = [run](std::size_t task) -> std::vector<program::Fact> {
    return {{"task", static_cast<std::int64_t>(task)}};
  };
  return program::Application<std::uint64_t, std::uint64_t>{
      .name = "task-graph",
      .summary =
          "tasks that depend on each other, on cores whose queues a circuit keeps (Gemieux et al., IEEE Access 2018, "
          "IV)",
      .input = run->lines() * kLine / sizeof(std::uint64_t),
      .output = run->graph.tasks.size(),
      .fill =
          [](int message, std::span<std::uint64_t> words) {
            for (std::size_t i = 0; i < words.size(); ++i)
              words[i] = random_word(0, static_cast<std::uint64_t>(message), i);
          },
      .reference = [run](std::span<const std::uint64_t> data,
                         std::span<std::uint64_t> of_tasks) { in_sequence(run->graph, data, of_tasks); },
      .extras = std::move(extras)}
      .bytes();
}

}  // namespace

program::Maker task_graph() {
  using enum program::ParameterKind;
  return {
      .parameters =
          {{.name = "scheme",
            .kind = choice,
            .help = "who hands out tasks: the cores alone, queues in the circuit, or queues that also fetch the "
                    "data; each value of a list gets a row",
            .choices = {std::begin(queues::kSchemes), std::end(queues::kSchemes)},
            .several = true,
            .preset = "alone,queues,prefetch"},
           {.name = "input",
            .kind = file,
            .help = "a JSON file of tasks, their data and the tasks that they wait for; without it a graph "
                    "is drawn at random"},
           {.name = "tasks", .help = "number of tasks of the random graph", .min = 1, .max = 100000, .preset = "256"},
           {.name = "work",
            .kind = number,
            .help = "mean time of a task of the random graph, once its data are there",
            .unit = "ns",
            .min = 0,
            .max = 1e9,
            .preset = "1000"},
           {.name = "lines",
            .help = "data of a task of the random graph, in lines of 64 B",
            .min = 1,
            .max = 1024,
            .preset = "8"},
           {.name = "cores", .help = "host cores that execute tasks", .min = 1, .max = 28, .preset = "4"},
           {.name = "depth",
            .help = "tasks that a core's queue in the circuit holds",
            .min = 1,
            .max = queues::kMostDepth,
            .preset = "4"}},
      .make = of_values};
}

}  // namespace isthmus::apps
