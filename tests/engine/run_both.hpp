#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/scenario.hpp"

namespace isthmus::reference {

inline constexpr std::int64_t kNs = 1'000'000;  ///< femtoseconds

/// What the scenario in `text` (see listing) does, after checking that the engine and the reference agree on it.
Outcome run_both(const std::string& text);

/// The same of a source, a sink and the channel between them, within a microsecond.
Outcome run_pair(const std::string& source, const std::string& sink, const std::string& channel);

/// Times in nanoseconds.
std::vector<std::int64_t> ns(const std::vector<TokenEvent>& events);
std::vector<std::int64_t> ns(const ActorActivity& activity);  ///< busy, starved, blocked, lifetime

}  // namespace isthmus::reference
