#include "isthmus/engine/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ranges>

#include "ending.hpp"
#include "isthmus/base/error.hpp"
#include "occupancy.hpp"

namespace isthmus {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::finished:
      return "finished";
    case Outcome::limit:
      return "time limit";
    case Outcome::stuck:
      return "stuck";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::quiescent:
      return "quiescent";
    case Outcome::failed:
      return "failed";
  }
  return "unknown";
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](std::string_view text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && digit(text[at])) ++at;
      return text.substr(begin, at - begin);
    };
    const auto x = number(a, i);
    const auto y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (i < a.size() || j < b.size()) return a.size() - i < b.size() - j;
  return a < b;  // they differ in leading zeros only
}

const ActorReport& RunReport::actor(std::string_view name) const {
  for (const auto& report : actors)
    if (report.name == name) return report;
  throw Error(fmt::format("no actor '{}' in this run", name));
}

const OccupancyReport& RunReport::occupancy(std::string_view name) const {
  for (const auto& report : occupancies)
    if (report.name == name) return report;
  throw Error(fmt::format("no occupancy '{}' in this run", name));
}

const ActorReport& RunReport::actor(ActorId id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) throw Error(fmt::format("no actor {} in this run", id.place));
  return actors[found->second.report];
}

const OccupancyReport& RunReport::occupancy(ActorId actor, std::string_view of) const {
  const auto holder = places_.find(actor);
  if (holder == places_.end()) throw Error(fmt::format("no actor {} in this run", actor.place));
  for (const std::size_t i : holder->second.occupancies)
    if (occupancies[i].of == of) return occupancies[i];
  throw Error(fmt::format("no occupancy '{}' of {} in this run", of, actors[holder->second.report].name));
}

void RunReport::arrange() {
  const auto by_name = [](const auto& a, const auto& b) { return natural_less(a.name, b.name); };
  std::ranges::sort(actors, by_name);
  std::ranges::sort(channels, by_name);
  std::ranges::sort(occupancies, by_name);
  places_.clear();
  for (std::size_t i = 0; i < actors.size(); ++i) places_[actors[i].id].report = i;
  for (std::size_t i = 0; i < occupancies.size(); ++i) places_[occupancies[i].actor].occupancies.push_back(i);
}

Bottleneck RunReport::bottleneck(const std::vector<std::string>& among) const {
  std::vector<const ActorReport*> parts;
  for (const auto& report : actors)
    if (among.empty() ? !report.periodic : std::find(among.begin(), among.end(), report.name) != among.end())
      parts.push_back(&report);
  std::stable_sort(parts.begin(), parts.end(), [](const auto* a, const auto* b) { return a->busy > b->busy; });
  Bottleneck result;
  if (parts.empty() || end <= Time{}) return result;
  result.part = parts[0]->name;
  result.busy_share = parts[0]->busy.seconds() / end.seconds();
  if (parts.size() > 1) {
    result.next = parts[1]->name;
    result.next_busy_share = parts[1]->busy.seconds() / end.seconds();
    if (result.next_busy_share > 0) result.would_need = result.busy_share / result.next_busy_share;
  }
  return result;
}

namespace engine {

std::string and_more(std::size_t all) {
  return all > kNamed ? fmt::format(", and {} more", all - kNamed) : "";
}

namespace {

std::int64_t span_end(const Actor& actor, const Span& span, std::int64_t end) {
  const auto time = actor.grid.edge(span.end);
  if (time <= end || span.period == 0) return std::min(time, end);
  const Tick whole = (actor.grid.last_at_or_before(end) - span.begin) / span.period;
  return actor.grid.edge(span.begin + std::max<Tick>(whole, 0) * span.period);
}

/// The wait in which an actor stands when the run ends, as a span without an end.
std::optional<Span> open_span(const Actor& actor) {
  switch (actor.wait) {
    case Wait::push:
      return Span{actor.wait_began, kNever, 0, Activity::blocked};
    case Wait::read:
      return Span{actor.wait_began, kNever, 0, Activity::starved};
    case Wait::sleep:
      if (actor.busy_asleep) return std::nullopt;
      return Span{actor.now, kNever, actor.sleep_period, Activity::starved};
    case Wait::horizon:
      if (!actor.failed && actor.parked_activity != Activity::busy)
        return Span{actor.wait_began, kNever, 0, actor.parked_activity};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool finished_by(const Actor& actor, std::int64_t end) {
  return actor.wait == Wait::finished && actor.grid.edge(actor.finished_at) <= end;
}

std::int64_t life_end(const Actor& actor, std::int64_t end) {
  return std::max(actor.grid.edge(0), finished_by(actor, end) ? actor.grid.edge(actor.finished_at) : end);
}

/// Calls `whole(periodic, count)` for each periodic span that is kept, with the number of its spans that end within the
/// actor's life, and `cut(span, begin, end)` for each span that its life cuts, in femtoseconds.
template <class Whole, class Cut>
void for_each_span(const Actor& actor, std::int64_t life_end, const Whole& whole, const Cut& cut) {
  const Tick last = actor.grid.last_at_or_before(life_end);
  const auto cut_off = [&](const Span& span) {
    const auto begin = actor.grid.edge(span.begin);
    if (begin < life_end) cut(span, begin, span_end(actor, span, life_end));
  };
  for (const PeriodicSpan& periodic : actor.spans) {
    const Tick ended = periodic.ended_by(last);
    whole(periodic, ended);
    if (ended < periodic.count) cut_off(periodic.at(ended));
  }
  if (const auto open = open_span(actor)) cut_off(*open);
}

void tell_periodic(Actor& actor, const PeriodicSpan& periodic, Tick count, StateObserver& observer) {
  for (Tick i = 0; i < count; ++i) {
    const Span span = periodic.at(i);
    tell_interval(actor, span.activity, actor.grid.edge(span.begin), actor.grid.edge(span.end), observer);
  }
}

ActorReport report_of(const Actor& actor, std::int64_t end) {
  ActorReport report;
  report.id = actor.id();
  report.name = actor.name;
  report.periodic = actor.periodic;
  report.finished = finished_by(actor, end);
  if (report.finished) report.finish = Time::fs(actor.grid.edge(actor.finished_at));
  const auto died = life_end(actor, end);
  std::int64_t blocked = actor.blocked_before;
  std::int64_t starved = actor.starved_before;
  const auto of = [&](const Span& span) -> auto& {
    return span.activity == Activity::blocked ? blocked : starved;
  };
  for_each_span(
      actor, died,
      [&](const PeriodicSpan& periodic, Tick count) { of(periodic.first) += periodic.length(count, actor.grid); },
      [&](const Span& span, std::int64_t from, std::int64_t to) { of(span) += to - from; });
  report.lifetime = Time::fs(died - actor.grid.edge(0));
  report.blocked = Time::fs(blocked);
  report.starved = Time::fs(starved);
  report.busy = report.lifetime - report.blocked - report.starved;
  return report;
}

ChannelReport report_of(const Channel& channel, std::int64_t end) {
  ChannelReport report{channel.name, channel.depth, channel.pushed(), channel.popped(), channel.index};
  while (report.pushed > 0 && channel.writer->grid.edge(channel.header(report.pushed - 1).pushed_at) > end)
    --report.pushed;
  while (report.popped > 0 && channel.reader->grid.edge(channel.header(report.popped - 1).popped_at) > end)
    --report.popped;
  return report;
}

/// The time at which this actor finished; the end of the run if there is no such actor.
std::int64_t end_of(const std::vector<Actor*>& actors, std::optional<ActorId> which, std::int64_t end) {
  return which ? life_end(*actors.at(which->place), end) : end;
}

std::string failure_text(const Actor& actor) {
  try {
    std::rethrow_exception(actor.failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

std::string why_it_waits(const Actor& actor, const Ending& ending) {
  if (actor.wait == Wait::sleep) return fmt::format("{} is idle", actor.name);
  const auto fill = report_of(*actor.waits_on, ending.time);
  auto text = fmt::format("{} waits to {} '{}' ({} of {})", actor.name, actor.wait == Wait::push ? "push into" : "read",
                          fill.name, fill.pushed - fill.popped, fill.depth);
  if (actor.wait == Wait::push && ending.outcome == Outcome::stuck)
    text += fmt::format(" whose reader {} has finished", actor.waits_on->reader->name);
  return text;
}

std::string describe(const Ending& ending) {
  const auto at = to_string(Time::fs(ending.time));
  if (ending.outcome == Outcome::failed)
    return fmt::format("{} failed at {}: {}", ending.who.front()->name, at, failure_text(*ending.who.front()));
  std::vector<std::string> waits;
  for (const auto* actor : ending.who | std::views::take(kNamed)) waits.push_back(why_it_waits(*actor, ending));
  return fmt::format("{} at {}: {}{}", to_string(ending.outcome), at, fmt::join(waits, ", "),
                     and_more(ending.who.size()));
}

}  // namespace

void tell_interval(Actor& actor, State state, std::int64_t begin, std::int64_t end, StateObserver& observer) {
  const auto busy_since = std::max(actor.told_until, actor.grid.edge(0));
  if (busy_since < begin) observer.interval(actor.name, State::busy, Time::fs(busy_since), Time::fs(begin));
  if (begin < end) observer.interval(actor.name, state, Time::fs(begin), Time::fs(end));
  actor.told_until = end;
}

void tell_states(Actor& actor, std::int64_t end, StateObserver& observer) {
  const auto died = life_end(actor, end);
  for_each_span(
      actor, died, [&](const PeriodicSpan& periodic, Tick count) { tell_periodic(actor, periodic, count, observer); },
      [&](const Span& span, std::int64_t from, std::int64_t to) {
        tell_interval(actor, span.activity, from, to, observer);
      });
  tell_interval(actor, State::busy, died, died, observer);
}

void fold_spans(Actor& actor, std::int64_t time, StateObserver* observer) {
  const Tick last = actor.grid.last_at_or_before(time);
  for (const PeriodicSpan& periodic : actor.spans) {
    const Tick ended = periodic.ended_by(last);
    if (ended == 0) break;
    (periodic.first.activity == Activity::blocked ? actor.blocked_before : actor.starved_before) +=
        periodic.length(ended, actor.grid);
    if (kObservable && observer != nullptr) [[unlikely]]
      tell_periodic(actor, periodic, ended, *observer);
  }
  actor.spans.drop(last);
}

RunReport make_report(const Ending& ending, const std::vector<Actor*>& actors, const std::vector<Channel*>& channels,
                      std::optional<ActorId> output) {
  const std::int64_t output_end = end_of(actors, output, ending.time);
  RunReport report;
  report.outcome = ending.outcome;
  report.end = Time::fs(ending.time);
  if (ending.outcome >= Outcome::stuck) report.message = describe(ending);
  for (const auto* actor : actors) {
    report.actors.push_back(report_of(*actor, ending.time));
    for (auto* occupancy : actor->occupancies)
      report.occupancies.push_back(OccupancyAccess::close(*occupancy, ending.time, output_end));
    if (actor->polls_since != kNever && actor->grid.edge(actor->polls_since) <= ending.time)
      report.warnings.push_back(
          fmt::format("{} is not trivially copyable and is stepped at every interval while it waits: let it say "
                      "timer.wait(ports...)",
                      actor->name));
  }
  for (const auto* channel : channels) report.channels.push_back(report_of(*channel, ending.time));
  report.arrange();
  return report;
}

}  // namespace engine
}  // namespace isthmus
