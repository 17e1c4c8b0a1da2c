#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isthmus/engine/report.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::platform {

/// A window: it bounds how much is under way at once; these are the values of a run. By Little's law `taken` *
/// `round_trip` over the time until the last output were under way on average, and a window that is full all the time
/// lets `size` / `round_trip` through.
struct Window {
  std::int64_t size = 0;
  std::string counts;      ///< plural of what an entry is, such as "tags"
  std::int64_t taken = 0;  ///< number of times that an entry was taken
  Time round_trip{};       ///< mean time from taking an entry to its return or, if earlier, to the last output
};

/// A part of a modelled machine as a person names it, and how it spent a run: busy + starved + blocked = lifetime,
/// which is the run's. One that works is busy while it does, and starved once it has finished; a window is busy while
/// no entry is free for who is next; a poll while something waits for it. A part that is in several places at once,
/// such as copies in both directions, is told by its busiest.
struct Part {
  std::string name;
  std::vector<std::string> keys;  ///< platform keys that set the part's pace, the most direct first
  Time busy;
  Time starved;
  Time blocked{};
  Time lifetime;
  bool works = true;  ///< false for a part that may be busy because of the parts behind it
  std::optional<Window> window{};
};

/// Entries of which a limited number can be in flight, by the actor that grants them and by their name.
struct Entries {
  ActorId actor;
  std::string of;
};

/// The place of a part in a run's report.
struct PartPlan {
  std::string name;
  std::vector<std::string> keys;
  std::vector<ActorId> actors{};       ///< actors that do the part's work
  std::vector<Entries> occupancies{};  ///< entries that may run out, or that wait for a poll
  std::string counts{};                ///< plural of what an entry is; empty for a poll, which any number may wait for
  std::string channel{};               ///< channel of the link whose keys the part has; empty: the board's first link
};

/// Puts `plans` behind those of `to`.
void append(std::vector<PartPlan>& to, std::vector<PartPlan> plans);

/// The plans, whose keys are named as on a board with one part of each kind in its usual section, with the names that
/// they have on `board`; keys that it gives no value are left out.
std::vector<PartPlan> on_board(std::vector<PartPlan> plans, const Description& board);

/// The parts as the actors and occupancies of `report` spent the run.
std::vector<Part> parts_of(const RunReport& report, const std::vector<PartPlan>& plans);

/// A part's share of a run's critical path: the chain of steps, each waiting for the end of the one before, that lasts
/// as long as the run.
struct Held {
  std::string part;
  Time time;
};

/// The limit of a run.
struct Limit : Bottleneck {
  double path_share = 0;       ///< share of the critical path that `part` and its resource have; 0 if it is simply busy
  double next_path_share = 0;  ///< share of `next` in the critical path; 0 if `next` would be busy all the time
};

/// The part that works nearly all the time, else the one that holds most of the critical path (none of a chain's steps
/// is busy for long where they wait for each other). Without a path it is a window that is full, or a poll that is
/// awaited, nearly all the time: of several the one with the shortest round trip, which the others wait for; else the
/// busiest that works. And the next, whose pace comes from other keys: the limit if the first were taken away.
Limit bottleneck(const std::vector<Part>& parts, Time elapsed, const std::vector<Held>& path = {});

}  // namespace isthmus::platform
