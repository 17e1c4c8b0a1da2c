#include "apps/task_graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/base/random.hpp"

namespace isthmus::apps {
namespace {

using nlohmann::json;

constexpr std::uint32_t kBefore = 3;
constexpr std::uint32_t kNear = 32;
constexpr double kMostLines = 1 << 20;

/// A file that is read.
class GraphFile {
 public:
  explicit GraphFile(const std::string& name) : name_(name) {}

  queues::TaskGraph read() {
    const json document = parsed();
    if (document.is_object()) refuse_unknown(document);
    if (!document.is_object() || !document.contains("tasks") || !document["tasks"].is_array() ||
        document["tasks"].empty())
      refuse("key 'tasks': expected an array of 1 task or more");
    queues::TaskGraph graph;
    for (const json& task : document["tasks"]) graph.tasks.push_back(read_task(task));
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) read_after(document["tasks"][i], graph.tasks[i]);
    return graph;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(fmt::format("{}: {}", name_, what)); }

  json parsed() const {
    std::ifstream in(name_);
    if (!in) refuse("expected a file that can be read");
    json document = json::parse(in, nullptr, false);
    if (document.is_discarded()) refuse("expected JSON, {\"tasks\": [...]}");
    return document;
  }

  void refuse_unknown(const json& document) const {
    static const std::vector<std::string> kKeys{"tasks"};
    for (const auto& [key, value] : document.items())
      if (key != kKeys.front()) refuse(unknown_name("key", key, kKeys));
  }

  queues::Task read_task(const json& task) {
    const std::string place = fmt::format("tasks[{}]", places_.size());
    if (!task.is_object()) refuse(fmt::format("{}: expected an object", place));
    for (const auto& [key, value] : task.items())
      if (key != "name" && key != "work_ns" && key != "lines" && key != "after")
        refuse(fmt::format("{}: key '{}': expected name, work_ns, lines or after", place, key));
    if (!task.contains("name") || !task["name"].is_string())
      refuse(fmt::format("{}: key 'name': expected a text", place));
    const auto name = task["name"].get<std::string>();
    if (!places_.emplace(name, static_cast<std::uint32_t>(places_.size())).second)
      refuse(fmt::format("{}: key 'name': expected a name each, got '{}' again", place, name));
    const double lines = number(task, place, "lines", 1, kMostLines, 1);
    if (lines != static_cast<std::uint32_t>(lines))
      refuse(fmt::format("{}: key 'lines': expected a whole number, got {}", place, lines));
    const double work = number(task, place, "work_ns", 0, kMostWork, {});
    work_ += work;
    if (work_ > kMostWork)
      refuse(fmt::format("{}: key 'work_ns': expected at most {} of all tasks together, got {} up to this one", place,
                         kMostWork, work_));
    return {.name = name, .work = Time::seconds(work * 1e-9), .lines = static_cast<std::uint32_t>(lines), .after = {}};
  }

  double number(const json& task, const std::string& place, const char* key, double least, double most,
                std::optional<double> preset) const {
    if (!task.contains(key) && preset) return *preset;
    const double value = task.contains(key) && task[key].is_number() ? task[key].get<double>() : least - 1;
    if (value < least || value > most)
      refuse(fmt::format("{}: key '{}': expected a number of {}..{}", place, key, least, most));
    return value;
  }

  void read_after(const json& from, queues::Task& task) const {
    if (!from.contains("after")) return;
    const std::string place = fmt::format("task '{}': key 'after'", task.name);
    if (!from["after"].is_array()) refuse(fmt::format("{}: expected an array of names", place));
    for (const json& one : from["after"]) {
      const auto found = one.is_string() ? places_.find(one.get<std::string>()) : places_.end();
      if (found == places_.end()) refuse(fmt::format("{}: expected names of tasks, got {}", place, one.dump()));
      if (std::ranges::find(task.after, found->second) != task.after.end())
        refuse(fmt::format("{}: expected each task once, got {} again", place, one.dump()));
      task.after.push_back(found->second);
    }
  }

  std::string name_;
  std::map<std::string, std::uint32_t> places_;
  double work_ = 0;  ///< nanoseconds of work of all tasks read
};

}  // namespace

queues::TaskGraph drawn_graph(const GraphDraw& draw) {
  const double work = draw.work.seconds() * 1e9;
  if (work * draw.tasks > kMostWork)
    throw Error(fmt::format("--tasks, --work: expected at most {} ns of all tasks together, got {} tasks of {} ns",
                            kMostWork, draw.tasks, work));
  queues::TaskGraph graph;
  for (std::uint32_t task = 0; task < draw.tasks; ++task) {
    const auto any = [&](std::uint64_t what) { return random_word(draw.seed, task, what); };
    queues::Task made{.name = fmt::format("{}", task), .work = {}, .lines = draw.lines, .after = {}};
    made.work = Time::seconds(draw.work.seconds() * (0.5 + static_cast<double>(any(0) >> 11U) * 0x1p-53));
    const std::uint32_t near = std::min(task, kNear);
    for (std::uint32_t i = 0; near > 0 && i < any(1) % (kBefore + 1); ++i) {
      const auto other = static_cast<std::uint32_t>(task - 1 - any(2 + i) % near);
      if (std::ranges::find(made.after, other) == made.after.end()) made.after.push_back(other);
    }
    graph.tasks.push_back(std::move(made));
  }
  return graph;
}

queues::TaskGraph graph_of(const std::string& file) {
  queues::TaskGraph graph = GraphFile(file).read();
  try {
    queues::in_order(graph);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
  return graph;
}

}  // namespace isthmus::apps
