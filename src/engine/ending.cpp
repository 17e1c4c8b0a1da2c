#include "ending.hpp"

#include <algorithm>
#include <unordered_map>

namespace isthmus::engine {
namespace {

std::int64_t blocked_since(const Actor& actor) {
  return actor.grid.edge(actor.wait_began);
}

const Actor* waits_for(const Actor& actor) {
  return actor.wait == Wait::push ? actor.waits_on->reader : actor.waits_on->writer;
}

bool finished(const Actor& actor) {
  return actor.wait == Wait::finished;
}

bool by_name(const Actor* a, const Actor* b) {
  return natural_less(a->name, b->name);
}

/// Orders errors: the earlier counts, at one instant the kind looked for first, the shorter cycle, the first name.
bool before(const Ending& a, const Ending& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.outcome != b.outcome) return a.outcome < b.outcome;
  if (a.who.size() != b.who.size()) return a.who.size() < b.who.size();
  return by_name(a.who.front(), b.who.front());
}

void keep_earliest(std::optional<Ending>& best, Ending candidate) {
  if (!best || before(candidate, *best)) best = std::move(candidate);
}

/// The cycle of waits that `first` stands in or leads to, if there is one among actors not looked at before.
std::optional<Ending> follow(const Actor& first, std::unordered_map<const Actor*, const Actor*>& seen_from) {
  const Actor* actor = &first;
  while (blocked_for_good(*actor) && seen_from.try_emplace(actor, &first).second) actor = waits_for(*actor);
  if (!blocked_for_good(*actor) || seen_from.at(actor) != &first) return std::nullopt;
  Ending ending{Outcome::deadlock, 0, {}};
  const Actor* start = actor;
  do {
    ending.who.push_back(actor);
    ending.time = std::max(ending.time, blocked_since(*actor));
    actor = waits_for(*actor);
  } while (actor != start);
  const auto least = std::min_element(ending.who.begin(), ending.who.end(), by_name);
  std::rotate(ending.who.begin(), least, ending.who.end());
  return ending;
}

}  // namespace

bool blocked_for_good(const Actor& actor) {
  return !actor.ready && awaits_another(actor);
}

std::optional<Ending> find_error(const std::vector<Actor*>& actors) {
  std::optional<Ending> best;
  std::unordered_map<const Actor*, const Actor*> seen_from;
  for (const Actor* actor : actors) {
    if (actor->failed) keep_earliest(best, {Outcome::failed, actor->grid.edge(actor->now), {actor}});
    if (!blocked_for_good(*actor)) continue;
    const Actor* reader = actor->waits_on->reader;
    if (actor->wait == Wait::push && finished(*reader) && !actor->periodic)
      keep_earliest(best,
                    {Outcome::stuck, std::max(blocked_since(*actor), reader->grid.edge(reader->finished_at)), {actor}});
    if (auto cycle = follow(*actor, seen_from)) keep_earliest(best, std::move(*cycle));
  }
  return best;
}

std::optional<Ending> find_quiescence(const std::vector<Actor*>& actors) {
  Ending ending{Outcome::quiescent, 0, {}};
  for (const Actor* actor : actors) {
    if (actor->periodic) continue;
    if (finished(*actor)) {
      ending.time = std::max(ending.time, actor->grid.edge(actor->finished_at));
      continue;
    }
    const bool asleep = actor->wait == Wait::sleep && actor->idle && actor->known_wake == kNever && !actor->ready;
    if (!asleep && !blocked_for_good(*actor)) return std::nullopt;
    for (const auto* channel : actor->inputs)
      if (channel->writer->periodic) return std::nullopt;
    for (const auto* channel : actor->outputs)
      if (channel->reader->periodic) return std::nullopt;
    ending.time = std::max(ending.time, asleep ? actor->grid.edge(actor->idle_since) : blocked_since(*actor));
    ending.who.push_back(actor);
  }
  if (ending.who.empty()) return std::nullopt;
  std::sort(ending.who.begin(), ending.who.end(), by_name);
  return ending;
}

}  // namespace isthmus::engine
