#include <algorithm>
#include <array>
#include <cstring>

#include "shared/queues/task_actors.hpp"

namespace isthmus::queues {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

/// In tags of reads, beside the core whose task or line it is.
constexpr std::uint16_t kData = 0x8000;

constexpr int kDoneBytes = 24;

}  // namespace

TaskScheduler::TaskScheduler(const TaskPlaces& of)
    : places(of),
      lanes_(static_cast<std::size_t>(of.work.cores)),
      next_(of.work.graph.tasks.size()),
      waits_for_(of.work.graph.tasks.size()) {
  const std::vector<Task>& tasks = of.work.graph.tasks;
  for (const std::uint32_t task : of.order) {
    waits_for_[task] = static_cast<std::uint32_t>(tasks[task].after.size());
    if (waits_for_[task] == 0) ready_.push_back(task);
    for (const std::uint32_t other : tasks[task].after) next_[other].push_back(task);
  }
}

bool TaskScheduler::done() const {
  return reads_under_way_ == 0 &&
         std::ranges::all_of(lanes_, [](const Lane& lane) { return lane.closed && !lane.writes; });
}

void TaskScheduler::step() {
  bool moved = take_read();
  moved |= take_write();
  moved |= assign();
  moved |= ask();
  moved |= send();
  if (!moved) timer.wait(reads, read_results, writes, write_results);
}

bool TaskScheduler::take_read() {
  if (reads_under_way_ == 0) return false;
  const LineResult* result = read_results.pull_in_place();
  if (result == nullptr) return false;
  --reads_under_way_;
  Lane& lane = lanes_[result->tag & ~kData];
  if ((result->tag & kData) == 0) {
    lane.looks = false;
    hear(lane, result->data);
    return true;
  }
  // a core's lines come in the order in which they were asked for
  const auto first = std::ranges::find_if(lane.queue, [](const Ready& one) { return one.come < one.asked; });
  ++first->come;
  return true;
}

bool TaskScheduler::take_write() {
  const bool any = std::ranges::any_of(lanes_, &Lane::writes);
  const LineResult* result = any ? write_results.pull_in_place() : nullptr;
  if (result == nullptr) return false;
  lanes_[result->tag].writes = false;
  return true;
}

void TaskScheduler::hear(Lane& lane, const fabric::LineBytes& line) {
  lane.ready = word_of(line, kReady) != 0;
  lane.acknowledged = word_of(line, kAcknowledged);
  for (const std::uint64_t done = word_of(line, kDone); lane.done < done; ++lane.done) finish(lane.sent[lane.done]);
}

void TaskScheduler::finish(std::uint32_t task) {
  for (const std::uint32_t after : next_[task])
    if (--waits_for_[after] == 0) ready_.push_back(after);
  if (++finished_ == next_.size())
    for (Lane& lane : lanes_) lane.told = false;
}

/// The next task goes to the core with the fewest, of those whose queue has room.
bool TaskScheduler::assign() {
  if (ready_.empty()) return false;
  Lane* to = nullptr;
  for (Lane& lane : lanes_) {
    const bool room = lane.ready && lane.waiting() < static_cast<std::size_t>(places.work.depth);
    if (room && (to == nullptr || lane.open() < to->open())) to = &lane;
  }
  if (to == nullptr) return false;
  to->queue.push_back({.task = ready_.front()});
  ready_.pop_front();
  return true;
}

bool TaskScheduler::ask() {
  if (!reads.room()) return false;
  return (places.work.scheme == Scheduling::prefetch && ask_for_data()) || look();
}

bool TaskScheduler::ask_for_data() {
  for (std::size_t core = 0; core < lanes_.size(); ++core)
    for (Ready& one : lanes_[core].queue) {
      if (one.asked == places.work.graph.tasks[one.task].lines) continue;
      fabric::begin_access(reads, LineAccess::Kind::read, places.data_line(one.task, one.asked++), places.line,
                           static_cast<std::uint16_t>(kData | core));
      ++reads_under_way_;
      return true;
    }
  return false;
}

/// At the line of the next core, of those at whose line it is not looking.
bool TaskScheduler::look() {
  if (finished_ == next_.size()) return false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t core = (first_looked_ + i) % lanes_.size();
    if (lanes_[core].looks) continue;
    fabric::begin_access(reads, LineAccess::Kind::read, places.done_line(static_cast<int>(core)), kDoneBytes,
                         static_cast<std::uint16_t>(core));
    lanes_[core].looks = true;
    ++reads_under_way_;
    first_looked_ = core + 1;
    return true;
  }
  return false;
}

/// A core is sent what is at the head of its queue and fetched; its line is written again when the write before is
/// over.
bool TaskScheduler::send() {
  if (!writes.room()) return false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t core = (first_written_ + i) % lanes_.size();
    Lane& lane = lanes_[core];
    if (lane.writes) continue;
    while (!lane.queue.empty() && !stopped()) {
      const Ready& head = lane.queue.front();
      const bool fetched = head.come == places.work.graph.tasks[head.task].lines;
      if (places.work.scheme == Scheduling::prefetch && !fetched) break;
      lane.sent.push_back(head.task);
      lane.queue.pop_front();
      lane.told = false;
      ++all_sent_;
    }
    if (lane.told) continue;
    write(lane, static_cast<int>(core));
    first_written_ = core + 1;
    return true;
  }
  return false;
}

void TaskScheduler::write(Lane& lane, int core) {
  std::array<std::uint64_t, kSendWords> words{};
  words[kSent] = lane.sent.size();
  words[kOver] = finished_ == next_.size() ? 1 : 0;
  const auto depth = static_cast<std::size_t>(places.work.depth);
  for (std::size_t i = lane.sent.size() - std::min(lane.sent.size(), depth); i < lane.sent.size(); ++i) {
    const std::size_t slot = i % depth;
    words.at(kNumbers + slot / 2) |= std::uint64_t{lane.sent[i]} << (slot % 2 == 0 ? 0U : 32U);
  }
  LineAccess& access = fabric::begin_access(writes, LineAccess::Kind::write, places.send_line(core), places.line,
                                            static_cast<std::uint16_t>(core));
  access.data = {};
  std::memcpy(access.data.data(), words.data(), sizeof(words));
  lane.told = lane.writes = true;
  lane.closed = words[kOver] != 0;
}

}  // namespace isthmus::queues
