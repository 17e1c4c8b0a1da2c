#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "shared/queues/task_actors.hpp"

namespace isthmus::queues {
namespace {

constexpr int kValueBytes = 16;

}  // namespace

std::pair<bool, std::uint64_t> TaskCore::value_of(HostCore& core, std::uint32_t task) const {
  const fabric::LineResult& line = core.read(places_.value_line(task), kValueBytes);
  return {word_of(line.data, 0) != 0, word_of(line.data, 1)};
}

void TaskCore::execute(HostCore& core, std::uint32_t task) const {
  const Task& what = places_.work.graph.tasks[task];
  TaskTimes& times = run_.tasks[task];
  times = {.core = number_, .begin = core.now(), .end = {}};
  const auto line = static_cast<std::uint64_t>(places_.line);
  std::vector<std::byte> data(what.lines * line);
  core.read({.from = places_.data_line(task, 0), .bytes = data.size(), .line = line}, data);
  std::vector<std::uint64_t> before;
  for (const std::uint32_t other : what.after) {
    const auto [done, value] = value_of(core, other);
    if (!done)
      throw Error(
          fmt::format("task '{}' was sent before '{}' was done", what.name, places_.work.graph.tasks[other].name));
    before.push_back(value);
  }
  core.wait(what.work);
  run_.values[task] = places_.work.value(task, data, before);
  times.end = core.now();
  core.store(places_.value_line(task), std::array<std::uint64_t, 2>{1, run_.values[task]}, false);
}

bool OwnCore::step(HostCore& core) {
  stop_if_interrupted();
  const std::vector<std::uint32_t>& order = places_.order;
  const auto cores = static_cast<std::size_t>(places_.work.cores);
  while (next_ < order.size() && next_ % cores != static_cast<std::size_t>(number_)) ++next_;
  if (next_ == order.size()) {
    core.store(places_.done_line(number_), std::array<std::uint64_t, 1>{1}, true);
    return false;
  }
  const std::uint32_t task = order[next_++];
  for (const std::uint32_t other : places_.work.graph.tasks[task].after)
    while (!value_of(core, other).first) stop_if_interrupted();
  execute(core, task);
  return true;
}

void QueueCore::tell(HostCore& core, bool last) const {
  core.store(places_.done_line(number_), std::array<std::uint64_t, 3>{1, taken_, finished_}, last);
}

/// The number of the next task that the core has not taken.
std::uint32_t QueueCore::number(const fabric::LineBytes& line) const {
  const std::size_t slot = taken_ % static_cast<std::size_t>(places_.work.depth);
  const std::uint64_t word = word_of(line, kNumbers + slot / 2);
  return static_cast<std::uint32_t>(slot % 2 == 0 ? word : word >> 32U);
}

bool QueueCore::step(HostCore& core) {
  stop_if_interrupted();
  if (!ready_) {
    ready_ = true;
    tell(core);
  }
  const fabric::LineBytes& line = core.read(places_.send_line(number_), kSendWords * 8).data;
  if (word_of(line, kSent) > taken_) {
    const std::uint32_t task = number(line);
    ++taken_;
    tell(core);
    execute(core, task);
    ++finished_;
    tell(core);
    waits_since_ = core.now();
    return true;
  }
  if (word_of(line, kOver) != 0) {
    tell(core, true);
    return false;
  }
  if (core.now() - waits_since_ > places_.patience)
    throw Error(
        fmt::format("core {} has got no task for {} of virtual time, and {} are not done: the circuit has stopped",
                    number_, to_string(places_.patience), std::ranges::count(run_.tasks, Time{}, &TaskTimes::end)));
  return true;
}

}  // namespace isthmus::queues
