#include "offload/model/coarse/pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::offload::model {
namespace {

/// Half of a sample at least, to whole refreshes: longer than what fills the machine's buffers.
constexpr Time kHalf = Time::us(60);

/// What passes in half of a sample: many times what a machine has under way.
constexpr std::uint64_t kEnough = std::uint64_t{256} << 10U;

/// Of a longer transfer or copy, the part that is sampled to its end.
constexpr std::uint64_t kWhole = std::uint64_t{256} << 10U;

Time half_of_sample(const platform::BoardSpec& board) {
  if (!board.memory) return kHalf;
  const std::int64_t refresh = board.memory->dram.tREFI.femtoseconds();
  return Time::fs((kHalf.femtoseconds() + refresh - 1) / refresh * refresh);
}

double rate_between(const Progress& early, const Progress& late) {
  const double time = (late.passed.last - early.passed.last).seconds();
  return time > 0 ? static_cast<double>(late.passed.bytes - early.passed.bytes) / time : 0;
}

Time scaled(Time late, Time early, double factor) {
  return late + Time::seconds((late - early).seconds() * factor);
}

}  // namespace

Pace::Pace(const Loaded& loaded, const RunOrder& order)
    : loaded_(loaded), order_(order), shortest_(half_of_sample(loaded.spec.board)) {}

Sample Pace::sampled(std::span<const Activity> activities, Time limit) const {
  stop_if_interrupted();
  return sample(loaded_, activities, limit, order_);
}

double Pace::Steady::rate() const {
  if (early) return rate_between(early->activities.front(), progress());
  return static_cast<double>(progress().passed.bytes) / progress().end->seconds();
}

const Pace::Steady& Pace::steady(const Activity& activity) {
  ActivityKey key = key_of(activity);
  auto found = steady_.find(key);
  if (found == steady_.end()) found = steady_.emplace(std::move(key), observe(activity)).first;
  return found->second;
}

Pace::Steady Pace::observe(const Activity& activity) const {
  const std::span one(&activity, 1);
  const bool to_its_end = activity.kind != Activity::Kind::kernel && activity.bytes <= kWhole;
  for (Time half = shortest_;; half = half + half) {
    Steady seen{.limit = half + half, .late = sampled(one, half + half), .early = {}};
    if (seen.progress().end) return seen;
    if (to_its_end || seen.progress().passed.bytes < kEnough) continue;
    seen.early = sampled(one, half);
    if (seen.progress().passed.bytes - seen.early->activities.front().passed.bytes >= kEnough) return seen;
  }
}

const Alone& Pace::alone(const Activity& activity, std::uint64_t bytes) {
  ActivityKey key = key_of(activity);
  if (const auto found = alone_.find(key); found != alone_.end()) return found->second;
  const Steady& seen = steady(activity);
  Alone result = seen.early ? extrapolated(activity, seen, bytes)
                            : Alone{.time = *seen.progress().end,
                                    .actors = seen.late.report.actors,
                                    .occupancies = seen.late.report.occupancies};
  return alone_.emplace(std::move(key), std::move(result)).first->second;
}

Alone Pace::extrapolated(const Activity& activity, const Steady& seen, std::uint64_t bytes) {
  const auto rest = [&](std::uint64_t done) { return Time::seconds(static_cast<double>(bytes - done) / seen.rate()); };
  Alone result{.time = seen.progress().passed.last + rest(seen.progress().passed.bytes),
               .actors = seen.late.report.actors,
               .occupancies = seen.late.report.occupancies};
  if (activity.kind != Activity::Kind::kernel) {
    Activity begin = activity;
    begin.bytes = kWhole;
    result.time = *steady(begin).progress().end + rest(kWhole);
  }
  const RunReport& early = seen.early->report;
  const double factor = (result.time - seen.limit).seconds() / (seen.limit - early.end).seconds();
  for (std::size_t i = 0; i < result.actors.size(); ++i) {
    ActorReport& actor = result.actors[i];
    actor.busy = scaled(actor.busy, early.actors[i].busy, factor);
    actor.blocked = scaled(actor.blocked, early.actors[i].blocked, factor);
  }
  for (std::size_t i = 0; i < result.occupancies.size(); ++i) {
    OccupancyReport& entries = result.occupancies[i];
    const auto taken = static_cast<double>(entries.taken - early.occupancies[i].taken);
    entries.taken += std::llround(taken * factor);
    entries.full = scaled(entries.full, early.occupancies[i].full, factor);
  }
  return result;
}

std::vector<double> Pace::together(std::span<const Activity> activities) {
  std::vector<std::pair<ActivityKey, std::size_t>> order;
  for (std::size_t i = 0; i < activities.size(); ++i) order.emplace_back(key_of(activities[i]), i);
  std::ranges::sort(order);
  std::vector<ActivityKey> keys;
  std::vector<Activity> sorted;
  for (const auto& [key, i] : order) {
    keys.push_back(key);
    sorted.push_back(activities[i]);
  }
  auto found = together_.find(keys);
  if (found == together_.end()) found = together_.emplace(std::move(keys), slowed(sorted)).first;
  std::vector<double> speeds(activities.size());
  for (std::size_t i = 0; i < order.size(); ++i) speeds[order[i].second] = found->second[i];
  return speeds;
}

std::vector<double> Pace::slowed(std::span<const Activity> activities) {
  Time limit;
  for (const Activity& activity : activities) limit = std::max(limit, steady(activity).limit);
  const Sample late = sampled(activities, limit);
  std::optional<Time> first;
  for (const Progress& one : late.activities)
    if (one.end && (!first || *one.end < *first)) first = one.end;
  if (first) return slowed_until(activities, *first);
  const Sample early = sampled(activities, Time::fs(limit.femtoseconds() / 2));
  std::vector<double> speeds;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const double alone = steady(activities[i]).rate();
    const double beside = rate_between(early.activities[i], late.activities[i]);
    speeds.push_back(alone > 0 ? beside / alone : 1);
  }
  return speeds;
}

/// What is short is seen from its start to the end of the first.
std::vector<double> Pace::slowed_until(std::span<const Activity> activities, Time end) {
  const Time limit = end + Time::ns(1);  // so that it is told of that end
  const Sample beside = sampled(activities, limit);
  std::vector<double> speeds;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    const Sample alone = sampled(activities.subspan(i, 1), limit);
    const Progress& by_itself = alone.activities.front();
    if (by_itself.end && beside.activities[i].end)
      speeds.push_back(by_itself.end->seconds() / end.seconds());
    else if (by_itself.passed.bytes > 0)
      speeds.push_back(static_cast<double>(beside.activities[i].passed.bytes) /
                       static_cast<double>(by_itself.passed.bytes));
    else
      speeds.push_back(1);
  }
  return speeds;
}

}  // namespace isthmus::offload::model
