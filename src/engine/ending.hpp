#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isthmus/engine/detail/actor.hpp"
#include "isthmus/engine/report.hpp"

namespace isthmus::engine {

/// The way and the time in which a run ended; `who` are the actors that the message names.
struct Ending {
  Outcome outcome = Outcome::finished;
  std::int64_t time = 0;
  std::vector<const Actor*> who;
};

/// A message names this many actors at most (a modelled board has fewer), and then counts the others.
inline constexpr std::size_t kNamed = 32;
std::string and_more(std::size_t all);

/// Tells whether the actor waits in `push` or `read` for something that the other end has not done.
inline bool awaits_another(const Actor& actor) {
  if (actor.wait == Wait::read) return actor.waits_on->empty() && !actor.waits_on->closing();
  return actor.wait == Wait::push && actor.waits_on->full();
}
/// Tells whether the actor waits in `push` or `read` while nothing is on its way (docs/time.md, "The end").
bool blocked_for_good(const Actor& actor);

/// The earliest instant at which an actor is stuck, deadlocked or has failed, if any is known.
std::optional<Ending> find_error(const std::vector<Actor*>& actors);

/// The instant from which nothing that is not periodic can ever act again, if that is so.
std::optional<Ending> find_quiescence(const std::vector<Actor*>& actors);

/// Makes the report of a run that ended so.
RunReport make_report(const Ending& ending, const std::vector<Actor*>& actors, const std::vector<Channel*>& channels,
                      std::optional<ActorId> output);

/// Tells the observer of an interval that was not busy, and of the busy one before it.
void tell_interval(Actor& actor, State state, std::int64_t begin, std::int64_t end, StateObserver& observer);
/// Tells the observer what is left of the actor's life in a run that ended at `end`.
void tell_states(Actor& actor, std::int64_t end, StateObserver& observer);
/// Adds up the spans that ended by `time`, which no end of the run can cut any more.
void fold_spans(Actor& actor, std::int64_t time, StateObserver* observer);

}  // namespace isthmus::engine
