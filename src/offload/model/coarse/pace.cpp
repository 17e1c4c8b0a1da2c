#include "offload/model/coarse/pace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace isthmus::offload::model {
namespace {

/// Half of a sample at least, to whole refreshes: longer than what fills the machine's buffers.
constexpr Time kHalf = Time::us(60);

/// That of a kernel: one that reads and writes a memory channel meets its rows differently for a while.
constexpr Time kHalfOfKernel = Time::us(500);

/// What passes in half of a sample: many times what a machine has under way.
constexpr std::uint64_t kEnough = std::uint64_t{256} << 10U;

/// The part of a longer transfer or copy that is sampled to its end.
constexpr std::uint64_t kWhole = std::uint64_t{256} << 10U;

/// Commands of which it is known what they take; each takes some 10 KB.
constexpr std::size_t kKept = 4096;

Time half_of_sample(const platform::BoardSpec& board, const Activity& activity) {
  const Time half = activity.work == DeviceWork::kernel ? kHalfOfKernel : kHalf;
  if (!board.memory) return half;
  const std::int64_t refresh = board.memory->dram.tREFI.femtoseconds();
  return Time::fs((half.femtoseconds() + refresh - 1) / refresh * refresh);
}

double rate_between(const Progress& early, const Progress& late) {
  const double time = (late.passed.last - early.passed.last).seconds();
  return time > 0 ? static_cast<double>(late.passed.bytes - early.passed.bytes) / time : 0;
}

Time scaled(Time late, Time early, double factor) {
  return late + Time::seconds((late - early).seconds() * factor);
}

}  // namespace

Pace::Pace(const Loaded& loaded, const RunOrder& order) : loaded_(loaded), order_(order) {}

Sample Pace::sampled(const Activity& activity, Time limit, Time start) const {
  Activity placed = activity;
  placed.from = start;
  Sample seen = take_sample(loaded_, placed, start + limit, order_);
  if (seen.progress.end) seen.progress.end = *seen.progress.end - start;
  seen.progress.passed.last = std::max(Time{}, seen.progress.passed.last - start);
  return seen;
}

double Pace::Steady::rate() const {
  return rate_between(needed(early).progress, late.progress);
}

Pace::Steady& Pace::steady(const Activity& activity) {
  ActivityKey key = key_of(activity);
  if (const auto found = steady_.find(key); found != steady_.end()) return found->second;
  const Time into = into_refresh(activity);
  ActivityKey there = key;
  there.push_back(static_cast<std::uint64_t>(into.femtoseconds()));
  if (const auto found = steady_.find(there); found != steady_.end()) return found->second;
  Steady seen = observe(activity, into);
  const bool anywhere = activity.work != DeviceWork::kernel || seen.lasts() || seen.late.progress.passed.bytes == 0;
  return steady_.emplace(std::move(anywhere ? key : there), std::move(seen)).first->second;
}

/// The time from the memory's last refresh to its begin: that of a short kernel depends on how many it meets.
Time Pace::into_refresh(const Activity& activity) const {
  const auto& memory = loaded_.spec.board.memory;
  if (activity.work != DeviceWork::kernel || !memory) return {};
  return Time::fs(activity.from.femtoseconds() % needed(memory).dram.tREFI.femtoseconds());
}

Pace::Steady Pace::observe(const Activity& activity, Time start) const {
  const bool to_its_end = activity.work != DeviceWork::kernel && activity.bytes <= kWhole;
  for (Time half = half_of_sample(loaded_.spec.board, activity);; half = half + half) {
    Steady seen{.limit = half + half, .late = sampled(activity, half + half, start), .early = {}, .alone = nullptr};
    if (seen.late.progress.end) return seen;
    if (to_its_end || seen.late.progress.passed.bytes < kEnough) continue;
    Sample early = sampled(activity, half, start);
    const std::uint64_t passed = seen.late.progress.passed.bytes - early.progress.passed.bytes;
    seen.early = std::move(early);
    if (passed >= kEnough) return seen;
  }
}

void Pace::look_at(const Activity& activity) {
  if (steady_.size() > kKept) steady_.clear();
  steady(activity);
}

std::shared_ptr<const Alone> Pace::alone(const Activity& activity, std::uint64_t bytes) {
  Steady& seen = steady(activity);
  if (seen.alone != nullptr) return seen.alone;
  seen.alone = std::make_shared<const Alone>(
      seen.lasts() ? extrapolated(activity, seen, bytes)
                   : Alone{.time = needed(seen.late.progress.end), .spent = seen.late.spent});
  seen.late.spent = {};
  return seen.alone;
}

Alone Pace::extrapolated(const Activity& activity, const Steady& seen, std::uint64_t bytes) {
  const auto rest = [&](std::uint64_t done) { return Time::seconds(static_cast<double>(bytes - done) / seen.rate()); };
  Alone result{.time = seen.late.progress.passed.last + rest(seen.late.progress.passed.bytes),
               .spent = seen.late.spent};
  if (activity.work != DeviceWork::kernel) {
    Activity begin = activity;
    begin.bytes = kWhole;
    result.time = needed(steady(begin).late.progress.end) + rest(kWhole);
  }
  const Spent& early = needed(seen.early).spent;
  const double factor = 2 * (result.time - seen.limit).seconds() / seen.limit.seconds();
  for (std::size_t i = 0; i < result.spent.actors.size(); ++i) {
    ActorReport& actor = result.spent.actors[i];
    actor.busy = scaled(actor.busy, early.actors[i].busy, factor);
    actor.blocked = scaled(actor.blocked, early.actors[i].blocked, factor);
  }
  for (std::size_t i = 0; i < result.spent.occupancies.size(); ++i) {
    OccupancyReport& entries = result.spent.occupancies[i];
    const auto taken = static_cast<double>(entries.taken - early.occupancies[i].taken);
    entries.taken += std::llround(taken * factor);
    entries.full = scaled(entries.full, early.occupancies[i].full, factor);
  }
  return result;
}

}  // namespace isthmus::offload::model
