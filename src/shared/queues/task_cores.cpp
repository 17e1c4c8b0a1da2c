#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/shared_board.hpp"
#include "shared/queues/task_actors.hpp"

namespace isthmus::queues {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

constexpr int kValueBytes = 16;

}  // namespace

std::pair<bool, std::uint64_t> TaskCore::value_of(std::uint32_t task) {
  const LineResult& line = read(places.value_line(task), kValueBytes);
  return {word_of(line.data, 0) != 0, word_of(line.data, 1)};
}

void TaskCore::store(std::uint64_t address, std::span<const std::uint64_t> words, bool last) {
  Store made{.address = space.physical(address), .words = static_cast<int>(words.size()), .last = last, .word = {}};
  std::ranges::copy(words, made.word.begin());
  stores.push(made);
}

std::vector<std::byte> TaskCore::data_of(std::uint32_t task) {
  const auto line = static_cast<std::uint64_t>(places.line);
  std::vector<std::byte> data(places.work.graph.tasks[task].lines * line);
  read({.from = places.data_line(task, 0), .bytes = data.size(), .line = line}, data);
  return data;
}

void TaskCore::execute(std::uint32_t task) {
  const Task& what = places.work.graph.tasks[task];
  TaskTimes& times = run.tasks[task];
  times = {.core = core, .begin = timer.now(), .end = {}};
  const std::vector<std::byte> data = data_of(task);
  std::vector<std::uint64_t> before;
  for (const std::uint32_t other : what.after) {
    const auto [done, value] = value_of(other);
    if (!done)
      throw Error(
          fmt::format("task '{}' was sent before '{}' was done", what.name, places.work.graph.tasks[other].name));
    before.push_back(value);
  }
  timer.wait_until(timer.now() + what.work);
  run.values[task] = places.work.value(task, data, before);
  times.end = timer.now();
  store(places.value_line(task), std::array<std::uint64_t, 2>{1, run.values[task]});
  ++finished;
}

void OwnCore::step() {
  stop_if_interrupted();
  const std::vector<std::uint32_t>& order = places.order;
  while (next_ < order.size() && next_ % static_cast<std::size_t>(places.work.cores) != static_cast<std::size_t>(core))
    ++next_;
  if (next_ == order.size()) {
    store(places.done_line(core), std::array<std::uint64_t, 1>{1}, true);
    over = true;
    return;
  }
  const std::uint32_t task = order[next_];
  for (const std::uint32_t other : places.work.graph.tasks[task].after)
    while (!value_of(other).first) stop_if_interrupted();
  execute(task);
  ++next_;
}

void QueueCore::tell(bool last) {
  store(places.done_line(core), std::array<std::uint64_t, 3>{1, taken, finished}, last);
}

/// The number of the next task that the core has not taken.
std::uint32_t QueueCore::number(const fabric::LineBytes& line) const {
  const std::size_t slot = taken % static_cast<std::size_t>(places.work.depth);
  const std::uint64_t word = word_of(line, kNumbers + slot / 2);
  return static_cast<std::uint32_t>(slot % 2 == 0 ? word : word >> 32U);
}

void QueueCore::step() {
  stop_if_interrupted();
  if (!ready_) {
    ready_ = true;
    tell();
  }
  const LineResult& line = read(places.send_line(core), kSendWords * 8);
  if (word_of(line.data, kSent) > taken) {
    const std::uint32_t task = number(line.data);
    ++taken;
    tell();
    execute(task);
    tell();
    waits_since_ = timer.now();
  } else if (word_of(line.data, kOver) != 0) {
    tell(true);
    over = true;
  } else if (timer.now() - waits_since_ > places.patience) {
    throw Error(
        fmt::format("core {} has got no task for {} of virtual time, and {} are not done: the circuit has stopped",
                    core, to_string(places.patience), std::ranges::count(run.tasks, Time{}, &TaskTimes::end)));
  }
}

}  // namespace isthmus::queues
