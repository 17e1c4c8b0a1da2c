#include "offload/model/coarse/pace.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace isthmus::offload::model {
namespace {

/// Half of a sample at least, to whole refreshes: longer than what fills the machine's buffers.
constexpr Time kHalf = Time::us(60);

/// What passes in half of a sample: many times what a machine has under way.
constexpr std::uint64_t kEnough = std::uint64_t{256} << 10U;

/// The part of a longer transfer or copy that is sampled to its end.
constexpr std::uint64_t kWhole = std::uint64_t{256} << 10U;

/// How long what lasts has gone on, in a sample beside others that last, at most.
constexpr Time kFurthest = Time::ms(1);

/// Commands of which it is known what they take; each takes some 10 KB.
constexpr std::size_t kKept = 4096;

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

Sample Pace::sampled(std::span<const Activity> activities, Time limit, Time start) const {
  std::vector<Activity> placed(activities.begin(), activities.end());
  for (Activity& one : placed) one.from = one.from + start;
  Sample seen = take_sample(loaded_, placed, start + limit, order_);
  for (Progress& one : seen.activities) {
    if (one.end) one.end = *one.end - start;
    one.passed.last = std::max(Time{}, one.passed.last - start);
  }
  return seen;
}

double Pace::Steady::rate() const {
  return rate_between(needed(early).activities.front(), progress());
}

double Pace::Steady::until(std::uint64_t bytes) const {
  const double after = static_cast<double>(bytes) - static_cast<double>(progress().passed.bytes);
  return progress().passed.last.seconds() + after / rate();
}

Pace::Steady& Pace::steady(const Activity& activity) {
  ActivityKey key = key_of(activity);
  if (const auto found = steady_.find(key); found != steady_.end()) return found->second;
  const Time into = into_refresh(activity);
  ActivityKey there = key;
  there.push_back(static_cast<std::uint64_t>(into.femtoseconds()));
  if (const auto found = steady_.find(there); found != steady_.end()) return found->second;
  Steady seen = observe(activity, into);
  const bool anywhere = activity.work != DeviceWork::kernel || seen.lasts() || seen.progress().passed.bytes == 0;
  return steady_.emplace(std::move(anywhere ? key : there), std::move(seen)).first->second;
}

/// The time from the memory's last refresh to its begin: that of a short kernel depends on how many it meets.
Time Pace::into_refresh(const Activity& activity) const {
  const auto& memory = loaded_.spec.board.memory;
  if (activity.work != DeviceWork::kernel || !memory) return {};
  return Time::fs(activity.from.femtoseconds() % needed(memory).dram.tREFI.femtoseconds());
}

Pace::Steady Pace::observe(Activity activity, Time start) const {
  activity.from = {};
  const std::span one(&activity, 1);
  const bool to_its_end = activity.work != DeviceWork::kernel && activity.bytes <= kWhole;
  for (Time half = shortest_;; half = half + half) {
    Steady seen{.limit = half + half, .late = sampled(one, half + half, start), .early = {}, .alone = nullptr};
    if (seen.progress().end) return seen;
    if (to_its_end || seen.progress().passed.bytes < kEnough) continue;
    Sample early = sampled(one, half, start);
    const std::uint64_t passed = seen.progress().passed.bytes - early.activities.front().passed.bytes;
    seen.early = std::move(early);
    if (passed >= kEnough) return seen;
  }
}

void Pace::look_at(const Activity& activity) {
  if (steady_.size() > kKept) {
    steady_.clear();
    together_.clear();
    delays_.clear();
  }
  steady(activity);
}

std::shared_ptr<const Alone> Pace::alone(const Activity& activity, std::uint64_t bytes) {
  Steady& seen = steady(activity);
  if (seen.alone != nullptr) return seen.alone;
  seen.alone = std::make_shared<const Alone>(
      seen.lasts() ? extrapolated(activity, seen, bytes)
                   : Alone{.time = needed(seen.progress().end), .spent = seen.late.spent});
  seen.late.spent = {};
  return seen.alone;
}

Alone Pace::extrapolated(const Activity& activity, const Steady& seen, std::uint64_t bytes) {
  const auto rest = [&](std::uint64_t done) { return Time::seconds(static_cast<double>(bytes - done) / seen.rate()); };
  Alone result{.time = seen.progress().passed.last + rest(seen.progress().passed.bytes), .spent = seen.late.spent};
  if (activity.work != DeviceWork::kernel) {
    Activity begin = activity;
    begin.bytes = kWhole;
    result.time = needed(steady(begin).progress().end) + rest(kWhole);
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

std::vector<double> Pace::together(std::span<const Activity> activities) {
  if (activities.size() < 2) return std::vector<double>(activities.size(), 1);
  std::vector<std::pair<ActivityKey, std::size_t>> order;
  for (std::size_t i = 0; i < activities.size(); ++i) order.emplace_back(key_of(activities[i]), i);
  std::ranges::sort(order);
  std::vector<ActivityKey> keys;
  const std::vector<Activity> met = as_they_met(activities);
  std::vector<Activity> sorted;
  for (const auto& [key, i] : order) {
    keys.push_back(key);
    keys.back().push_back(static_cast<std::uint64_t>(met[i].from.femtoseconds()));
    sorted.push_back(met[i]);
  }
  auto found = together_.find(keys);
  if (found == together_.end()) found = together_.emplace(std::move(keys), slowed(sorted)).first;
  std::vector<double> speeds(activities.size());
  for (std::size_t i = 0; i < order.size(); ++i) speeds[order[i].second] = found->second[i];
  return speeds;
}

/// The same with the starts that a sample gives them: as far apart as in the run, because two that meet at the same
/// banks of a memory go on meeting there. What lasts has gone on for a while at most; beside what is short, and where
/// no two are commands, because a host's copy meets at no bank, that is until it is in full swing.
std::vector<Activity> Pace::as_they_met(std::span<const Activity> activities) {
  const auto lasts = [this](const Activity& one) { return steady(one).lasts(); };
  const auto commands = std::ranges::count_if(activities, [](const Activity& one) { return one.work.has_value(); });
  const Time furthest = commands > 1 && std::ranges::all_of(activities, lasts) ? kFurthest : shortest_;
  const Time last = std::ranges::max(activities, {}, &Activity::from).from;
  const auto age = [&](const Activity& one) {
    return lasts(one) ? std::min(last - one.from, furthest) : last - one.from;
  };
  Time oldest;
  for (const Activity& one : activities) oldest = std::max(oldest, age(one));
  std::vector<Activity> placed(activities.begin(), activities.end());
  for (Activity& one : placed) one.from = oldest - age(one);
  return placed;
}

std::vector<double> Pace::slowed(std::span<const Activity> activities) {
  Time limit;
  for (const Activity& activity : activities) limit = std::max(limit, steady(activity).limit);
  if (std::ranges::all_of(activities, [this](const Activity& one) { return steady(one).lasts(); }))
    return steadily_slowed({activities.begin(), activities.end()}, limit);
  return slowed_in(activities, sampled_to_ends(activities, limit + limit));
}

/// Until all that do not last have ended.
Sample Pace::sampled_to_ends(std::span<const Activity> activities, Time limit) {
  for (;; limit = limit + limit) {
    Sample seen = sampled(activities, limit);
    bool ended = true;
    for (std::size_t i = 0; i < activities.size(); ++i)
      ended = ended && (seen.activities[i].end || steady(activities[i]).lasts());
    if (ended) return seen;
  }
}

/// All last: as many bytes in the second half of a sample, in which none ends, as at these rates.
std::vector<double> Pace::steadily_slowed(std::vector<Activity> activities, Time limit) {
  const auto half = [](Time time) { return Time::fs(time.femtoseconds() / 2); };
  const auto from_last = [&](Time time) { return std::ranges::max(activities, {}, &Activity::from).from + time; };
  Sample late = sampled(activities, from_last(limit));
  while (std::ranges::any_of(late.activities, [](const Progress& one) { return one.end.has_value(); })) {
    limit = half(limit);
    if (limit < half(shortest_))
      for (Activity& one : activities) one.from = half(one.from);
    late = sampled(activities, from_last(limit));
  }
  const Sample early = sampled(activities, from_last(half(limit)));
  std::vector<double> speeds;
  for (std::size_t i = 0; i < activities.size(); ++i)
    speeds.push_back(rate_between(early.activities[i], late.activities[i]) / steady(activities[i]).rate());
  return speeds;
}

/// The time for which an activity went on at the speed that it has alone, in seconds.
double Pace::reached(const Activity& activity, const Progress& progress) {
  const Steady& alone = steady(activity);
  return alone.lasts() ? alone.until(progress.passed.bytes) : needed(alone.progress().end).seconds();
}

std::vector<Pace::Phase> Pace::phases_of(std::span<const Activity> activities, const Sample& seen) {
  const auto until = [&](std::size_t i) { return seen.activities[i].end.value_or(seen.activities[i].passed.last); };
  std::set<Time> borders;
  for (std::size_t i = 0; i < activities.size(); ++i) {
    borders.insert(activities[i].from);
    borders.insert(until(i));
  }
  std::vector<Phase> phases;
  for (auto begin = borders.begin(); std::next(begin) != borders.end(); ++begin) {
    Phase& phase = phases.emplace_back();
    phase.length = (*std::next(begin) - *begin).seconds();
    for (std::size_t i = 0; i < activities.size(); ++i)
      if (activities[i].from <= *begin && until(i) > *begin) phase.active.push_back(i);
  }
  return phases;
}

std::vector<double> Pace::speeds_in(const Phase& phase, std::span<const Activity> activities) {
  std::vector<Activity> active;
  active.reserve(phase.active.size());
  for (const std::size_t i : phase.active) active.push_back(activities[i]);
  return together(active);
}

/// In all phases but one fewer activities go on, and how fast is known: what they leave was reached in the one.
std::vector<double> Pace::slowed_in(std::span<const Activity> activities, const Sample& seen) {
  std::vector<double> left;
  for (std::size_t i = 0; i < activities.size(); ++i) left.push_back(reached(activities[i], seen.activities[i]));
  double beside_all = 0;
  for (const Phase& phase : phases_of(activities, seen)) {
    if (phase.active.size() == activities.size()) {
      beside_all += phase.length;
      continue;
    }
    const std::vector<double> speeds = speeds_in(phase, activities);
    for (std::size_t i = 0; i < speeds.size(); ++i) left[phase.active[i]] -= speeds[i] * phase.length;
  }
  if (beside_all == 0) return std::vector<double>(activities.size(), 1);
  for (double& time : left) time /= beside_all;
  return left;
}

double Pace::delay_of_last(std::span<const Activity> activities) {
  if (activities.size() < 2) return 0;
  std::vector<ActivityKey> keys;
  const std::vector<Activity> placed = as_they_met(activities);
  for (const Activity& activity : placed) {
    keys.push_back(key_of(activity));
    keys.back().push_back(static_cast<std::uint64_t>(activity.from.femtoseconds()));
  }
  std::ranges::sort(keys.begin(), keys.end() - 1);
  if (const auto found = delays_.find(keys); found != delays_.end()) return found->second;
  Time all;
  for (const Activity& one : placed) {
    const Steady& alone = steady(one);
    all += alone.lasts() ? alone.limit : needed(alone.progress().end);
  }
  return delays_[keys] = delayed_in(placed, sampled_to_ends(placed, placed.back().from + all));
}

double Pace::delayed_in(std::span<const Activity> activities, const Sample& seen) {
  const std::size_t last = activities.size() - 1;
  double expected = 0;
  for (const Phase& phase : phases_of(activities, seen))
    if (!phase.active.empty() && phase.active.back() == last)
      expected += speeds_in(phase, activities).back() * phase.length;
  return std::max(0.0, expected - reached(activities[last], seen.activities[last]));
}

}  // namespace isthmus::offload::model
