#pragma once

#include <string_view>

#include "isthmus/platform/section.hpp"

namespace isthmus::platform {

/// In whole cycles of a clock.
int cycles(Time time, Frequency clock);

/// Cycles of a latency that takes at least `least`; `of` is the clock's key, for the message.
int at_least(int least, const Section& part, std::string_view key, Frequency clock, std::string_view of);

/// Cycles of a phase that takes at least `least`.
int at_least(int least, const Section& part, std::string_view key);

}  // namespace isthmus::platform
