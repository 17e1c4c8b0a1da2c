#include "isthmus/platform/part.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace isthmus::platform {
namespace {

/// A part that is busy for so much of a run sets its pace by itself; the rest is its first and last work.
constexpr double kSaturated = 0.9;

/// Parts whose rates come from the same keys, and what they hold of the path together.
struct Group {
  const Part* longest;
  Time held;  ///< by the longest of them
  Time time;
};

class Run {
 public:
  Run(const std::vector<Part>& parts, Time elapsed, const std::vector<Held>& path) : elapsed_(elapsed), path_(path) {
    order_.reserve(parts.size());
    for (const Part& part : parts) order_.push_back(&part);
    std::ranges::stable_sort(order_, std::ranges::greater{}, &Part::busy);
  }

  Limit limit() const { return path_.empty() || share(order_[0]->busy) >= kSaturated ? busiest() : of_path(); }

 private:
  double share(Time time) const { return time.seconds() / elapsed_.seconds(); }

  const Part* busiest_beside(const Part& part) const {
    const auto found =
        std::ranges::find_if(order_, [&part](const Part* other) { return other->resource != part.resource; });
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

  Limit busiest() const {
    const Part& first = *order_[0];
    const Part* next = busiest_beside(first);
    const bool idle = next == nullptr || next->busy == Time{};
    return named(first, next, idle ? 1 : first.busy.seconds() / next->busy.seconds());
  }

  std::vector<Group> groups() const {
    std::vector<Group> groups;
    for (const Held& held : path_) {
      const auto part = std::ranges::find(order_, std::string_view(held.part), &Part::name);
      if (part == order_.end()) continue;
      const auto group = std::ranges::find_if(
          groups, [part](const Group& other) { return other.longest->resource == (*part)->resource; });
      if (group == groups.end()) {
        groups.push_back({.longest = *part, .held = held.time, .time = held.time});
        continue;
      }
      group->time += held.time;
      if (held.time <= group->held) continue;
      group->longest = *part;
      group->held = held.time;
    }
    std::ranges::stable_sort(groups, std::ranges::greater{}, &Group::time);
    return groups;
  }

  /// With the first group k times as fast the path lasts `left` + `first` / k: as long as the busiest of the other
  /// parts works anyway, or, if that is never, until another group holds more of it.
  Limit of_path() const {
    const std::vector<Group> groups = this->groups();
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
  std::vector<const Part*> order_;  ///< the busiest first
};

}  // namespace

Part part_of(const std::string& name, const std::string& resource, const ActorReport& report) {
  return {.name = name,
          .resource = resource,
          .busy = report.busy,
          .starved = report.starved,
          .blocked = report.blocked,
          .lifetime = report.lifetime};
}

Limit bottleneck(const std::vector<Part>& parts, Time elapsed, const std::vector<Held>& path) {
  return Run(parts, elapsed, path).limit();
}

}  // namespace isthmus::platform
