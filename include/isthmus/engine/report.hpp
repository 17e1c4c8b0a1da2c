#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/engine/actor_id.hpp"

namespace isthmus {

enum class Outcome : std::uint8_t { finished, limit, stuck, deadlock, quiescent, failed };
const char* to_string(Outcome outcome);

/// The times for which an actor was in each state. busy + starved + blocked = lifetime.
struct ActorReport {
  ActorId id{};
  std::string name;
  bool periodic = false;
  bool finished = false;
  Time finish;  ///< the time at which it finished
  Time busy;
  Time starved;  ///< waiting for tokens
  Time blocked;  ///< waiting for room
  Time lifetime;
};

struct ChannelReport {
  std::string name;  ///< "source.out -> sum.in"
  std::uint64_t depth = 0;
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  int index = 0;  ///< number of the channel for a ChannelObserver
};

/// The use of entries, such as tags, of which only a fixed number can be under way.
struct OccupancyReport {
  ActorId actor{};         ///< the actor that hands them out
  std::string of;          ///< "tags"
  std::string name;        ///< "PCIe reader: tags"
  std::int64_t size = 0;   ///< how many there are
  std::int64_t taken = 0;  ///< entries taken in the run, each as often as it was taken
  Time full{};             ///< the time without room for the next entries
  Time round_trip{};       ///< mean time from taking to return; entries under way when the output ends count until then
};

/// The part that holds a run back, and what it would take for another to.
struct Bottleneck {
  std::string part;
  double busy_share = 0;  ///< share of the run in which the part is busy
  std::string next;       ///< empty where there is only one part
  double next_busy_share = 0;
  double would_need = 1;  ///< how many times faster `part` would have to be for `next` to be the limit
};

struct RunReport {
  Outcome outcome = Outcome::finished;
  Time end;
  std::string message;  ///< the error in one line, if there was one
  std::vector<std::string> warnings;
  std::vector<ActorReport> actors;             ///< in natural order of their names
  std::vector<ChannelReport> channels;         ///< in natural order of their names
  std::vector<OccupancyReport> occupancies{};  ///< likewise

  const ActorReport& actor(std::string_view name) const;
  const ActorReport& actor(ActorId id) const;
  const OccupancyReport& occupancy(std::string_view name) const;
  const OccupancyReport& occupancy(ActorId actor, std::string_view of) const;
  /// Finds the bottleneck among the actors named, or among all that are not periodic if none are named.
  Bottleneck bottleneck(const std::vector<std::string>& among = {}) const;

  /// Brings the lists in the order of names and learns where in them each actor stands. Call it after filling them.
  void arrange();

 private:
  /// The places of an actor, and of its occupancies, in the report.
  struct Place {
    std::size_t report;
    std::vector<std::size_t> occupancies;
  };
  std::map<ActorId, Place> places_;
};

/// Compares names in natural order: "part2" comes before "part10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace isthmus
