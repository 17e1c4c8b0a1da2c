#pragma once

#include <cstdint>
#include <string>

#include "isthmus/base/units.hpp"

namespace isthmus {

/// The state of an actor: it works, waits for room, or waits for tokens.
enum class State : std::uint8_t { busy, blocked, starved };

/// Gets the states of the actors of a run.
class StateObserver {
 public:
  virtual ~StateObserver() = default;
  /// Reports an interval of `actor`. The intervals of one actor come in order, without gaps between them; two that
  /// follow each other may be of one state.
  virtual void interval(const std::string& actor, State state, Time begin, Time end) = 0;
  /// Says that `actor` stands under the heading `group`; called before the run.
  virtual void stands_under(const std::string& /*actor*/, const std::string& /*group*/) {}
  /// Says that from `at` on the actor works on a numbered message. Calls come in order, and before the intervals of
  /// that time.
  virtual void works_on(const std::string& /*actor*/, Time /*at*/, std::int64_t /*message*/) {}
  /// Says that `change` more entries of an occupancy of the actor are under way; fewer if it is negative. Takings come
  /// in order of time, and returns come in order of time, but the two are not ordered with each other.
  virtual void entries(const std::string& /*actor*/, const char* /*occupancy*/, Time /*at*/, std::int64_t /*change*/) {}
};

}  // namespace isthmus
