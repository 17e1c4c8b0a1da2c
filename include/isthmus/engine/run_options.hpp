#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "isthmus/base/units.hpp"
#include "isthmus/engine/actor_id.hpp"

namespace isthmus {

class StateObserver;

/// Prints one line on stderr that begins with the name of Isthmus.
void tell_on_stderr(const std::string& line);

struct RunOptions {
  Time limit = Time::max();
  bool throw_on_error = true;
  std::size_t stack_bytes = 256 * 1024;
  StateObserver* states = nullptr;  ///< gets the states of each actor; no result depends on it
  /// The actor whose end is the end of the output: what is under way then counts until then. Without it, that is the
  /// end of the run.
  std::optional<ActorId> output{};
  std::uint64_t schedule_seed = 0;  ///< other than 0: ready actors run in a random order; no result may depend on it
  /// If no token has moved for this wall time, `tell` gets the names of the actors that still step.
  std::chrono::nanoseconds patience = std::chrono::seconds(10);
  std::function<void(const std::string&)> tell = tell_on_stderr;
};

}  // namespace isthmus
