#include "isthmus/platform/part.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace isthmus::platform {
namespace {

/// A part that is busy for so much of a run sets its pace by itself; the rest is its first and last work.
constexpr double kSaturated = 0.9;

bool share_keys(const Part& a, const Part& b) {
  return a.keys == b.keys;
}

/// Parts whose rates come from the same keys, and what they hold of the path together.
struct RateGroup {
  const Part* longest;
  Time held;  ///< time of the longest hold
  Time time;
};

class Run {
 public:
  Run(const std::vector<Part>& parts, Time elapsed, const std::vector<Held>& path) : elapsed_(elapsed), path_(path) {
    for (const Part& part : parts) {
      if (part.works) order_.push_back(&part);
      if (!part.works && share(part.busy) >= kSaturated) waits_.push_back(&part);
    }
    std::ranges::stable_sort(order_, std::ranges::greater{}, &Part::busy);
    std::ranges::stable_sort(waits_, std::less{}, round_trip);
  }

  Limit limit() const {
    if (share(order_[0]->busy) >= kSaturated) return busiest();
    if (!path_.empty()) return of_path();
    return waits_.empty() ? busiest() : beside(*waits_[0]);
  }

 private:
  /// What waits is full or awaited for so long; a poll, whose waits are no round trips, comes last.
  static Time round_trip(const Part* part) { return part->window ? part->window->round_trip : Time::max(); }

  double share(Time time) const { return time.seconds() / elapsed_.seconds(); }

  const Part* busiest_beside(const Part& part) const {
    const auto found = std::ranges::find_if(order_, [&part](const Part* other) { return !share_keys(*other, part); });
    return found == order_.end() ? nullptr : *found;
  }

  Limit named(const Part& part, const Part* next, double would_need) const {
    Limit limit;
    limit.part = part.name;
    limit.busy_share = share(part.busy);
    if (next == nullptr) return limit;
    limit.next = next->name;
    limit.next_busy_share = share(next->busy);
    limit.would_need = would_need;
    return limit;
  }

  Limit busiest() const { return beside(*order_[0]); }

  Limit beside(const Part& first) const {
    const Part* next = busiest_beside(first);
    const bool idle = next == nullptr || next->busy == Time{};
    return named(first, next, idle ? 1 : first.busy.seconds() / next->busy.seconds());
  }

  std::vector<RateGroup> groups() const {
    std::vector<RateGroup> groups;
    for (const Held& held : path_) {
      const auto part = std::ranges::find(order_, std::string_view(held.part), &Part::name);
      if (part == order_.end()) continue;
      const auto group =
          std::ranges::find_if(groups, [part](const RateGroup& other) { return share_keys(*other.longest, **part); });
      if (group == groups.end()) {
        groups.push_back({.longest = *part, .held = held.time, .time = held.time});
        continue;
      }
      group->time += held.time;
      if (held.time <= group->held) continue;
      group->longest = *part;
      group->held = held.time;
    }
    std::ranges::stable_sort(groups, std::ranges::greater{}, &RateGroup::time);
    return groups;
  }

  /// If the first group is k times as fast, the path lasts `left` + `first` / k: as long as the busiest of the other
  /// parts works anyway, or, if that is never, until another group holds more of it.
  Limit of_path() const {
    const std::vector<RateGroup> groups = this->groups();
    if (groups.empty()) return busiest();
    const double first = share(groups[0].time);
    const double left = 1 - first;
    const Part* other = busiest_beside(*groups[0].longest);
    Limit limit = named(*groups[0].longest, nullptr, 1);
    if (other != nullptr && share(other->busy) > left) {
      limit = named(*groups[0].longest, other, first / (share(other->busy) - left));
    } else if (groups.size() > 1 && groups[1].time > Time{}) {
      limit = named(*groups[0].longest, groups[1].longest, first / share(groups[1].time));
      limit.next_path_share = share(groups[1].time);
    }
    limit.path_share = first;
    return limit;
  }

  Time elapsed_;
  const std::vector<Held>& path_;
  std::vector<const Part*> order_;  ///< parts that work, the busiest first
  std::vector<const Part*> waits_;  ///< other parts that are busy nearly all the time, the shortest round trip first
};

Part working(const PartPlan& plan, const RunReport& report) {
  std::vector<const ActorReport*> actors;
  actors.reserve(plan.actors.size());
  for (const ActorId id : plan.actors) actors.push_back(&report.actor(id));
  const ActorReport& busiest = **std::ranges::max_element(actors, std::less{}, &ActorReport::busy);
  return {.name = plan.name,
          .keys = plan.keys,
          .busy = busiest.busy,
          .starved = report.end - busiest.busy - busiest.blocked,
          .blocked = busiest.blocked,
          .lifetime = report.end};
}

Part waiting(const PartPlan& plan, const RunReport& report) {
  std::vector<const OccupancyReport*> places;
  places.reserve(plan.occupancies.size());
  for (const Entries& entries : plan.occupancies) places.push_back(&report.occupancy(entries.actor, entries.of));
  const auto used = [](const OccupancyReport* place) {
    return std::pair(place->full, static_cast<double>(place->taken) * place->round_trip.seconds());
  };
  const OccupancyReport& fullest = **std::ranges::max_element(places, std::less{}, used);
  Part part{.name = plan.name,
            .keys = plan.keys,
            .busy = fullest.full,
            .starved = report.end - fullest.full,
            .lifetime = report.end,
            .works = false};
  if (!plan.counts.empty())
    part.window =
        Window{.size = fullest.size, .counts = plan.counts, .taken = fullest.taken, .round_trip = fullest.round_trip};
  return part;
}

}  // namespace

void append(std::vector<PartPlan>& to, std::vector<PartPlan> plans) {
  to.insert(to.end(), std::make_move_iterator(plans.begin()), std::make_move_iterator(plans.end()));
}

std::vector<PartPlan> on_board(std::vector<PartPlan> plans, const Description& board) {
  for (PartPlan& plan : plans) {
    for (std::string& key : plan.keys) key = board.key_here(key, plan.channel);
    std::erase_if(plan.keys, [&board](const std::string& key) { return !board.has(key); });
  }
  return plans;
}

std::vector<Part> parts_of(const RunReport& report, const std::vector<PartPlan>& plans) {
  std::vector<Part> parts;
  parts.reserve(plans.size());
  for (const PartPlan& plan : plans)
    parts.push_back(plan.occupancies.empty() ? working(plan, report) : waiting(plan, report));
  return parts;
}

Limit bottleneck(const std::vector<Part>& parts, Time elapsed, const std::vector<Held>& path) {
  return Run(parts, elapsed, path).limit();
}

}  // namespace isthmus::platform
