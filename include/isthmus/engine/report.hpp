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
  Time finish;  ///< where it finished
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
  int index = 0;  ///< by which a ChannelObserver is told of it
};

/// The use of entries of which only so many can be under way.
struct OccupancyReport {
  ActorId actor{};         ///< hands them out
  std::string of;          ///< "tags"
  std::string name;        ///< "PCIe reader: tags"
  std::int64_t size = 0;   ///< how many there are
  std::int64_t taken = 0;  ///< in the run, each as often as it was taken
  Time full{};             ///< the time without room for who was next
  Time round_trip{};       ///< from taking to return on average; what is under way when the output ends, until then
};

/// The part that holds a run back, and what it would take for another to.
struct Bottleneck {
  std::string part;
  double busy_share = 0;  ///< of the run
  std::string next;       ///< empty where there is only one part
  double next_busy_share = 0;
  double would_need = 1;  ///< how many times faster `part` would have to be for `next` to be the limit
};

struct RunReport {
  Outcome outcome = Outcome::finished;
  Time end;
  std::string message;  ///< what went wrong, in one line, where something did
  std::vector<std::string> warnings;
  std::vector<ActorReport> actors;             ///< in natural order of their names
  std::vector<ChannelReport> channels;         ///< in natural order of their names
  std::vector<OccupancyReport> occupancies{};  ///< likewise

  const ActorReport& actor(std::string_view name) const;
  const ActorReport& actor(ActorId id) const;
  const OccupancyReport& occupancy(std::string_view name) const;
  const OccupancyReport& occupancy(ActorId actor, std::string_view of) const;
  /// Among the actors named, or all that are not periodic if none are.
  Bottleneck bottleneck(const std::vector<std::string>& among = {}) const;

  /// Brings the lists in the order of names and learns where in them each actor stands: whoever fills them calls it.
  void arrange();

 private:
  /// The place of an actor, and of what it hands out, in the report.
  struct Place {
    std::size_t report;
    std::vector<std::size_t> occupancies;
  };
  std::map<ActorId, Place> places_;
};

/// "part2" before "part10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace isthmus
