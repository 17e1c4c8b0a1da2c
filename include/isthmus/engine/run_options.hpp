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

/// One line, in the name of Isthmus.
void tell_on_stderr(const std::string& line);

struct RunOptions {
  Time limit = Time::max();
  bool throw_on_error = true;
  std::size_t stack_bytes = 256 * 1024;
  StateObserver* states = nullptr;  ///< is told how each actor spent its life; no result depends on it
  /// The actor whose end is the end of the output: what is under way then counts until then. None: the end of the run.
  std::optional<ActorId> output{};
  std::uint64_t schedule_seed = 0;  ///< other than 0: ready actors run in a random order; no result may depend on it
  /// Once no token has moved for so long, in wall time, `tell` is told who still steps.
  std::chrono::nanoseconds patience = std::chrono::seconds(10);
  std::function<void(const std::string&)> tell = tell_on_stderr;
};

}  // namespace isthmus
