#pragma once

#include "isthmus/probes/probe.hpp"

/// Probes of the streaming path: pools of pinned buffers, and a circuit at the host link (stacc IV, V).
namespace isthmus::probes {

inline constexpr std::int64_t kMostStreamed = std::int64_t{1} << 30U;

/// Rates of messages that stream to a circuit, from one, and through one.
void streams_in(const Job& job, Target& target, const Report& report);
void streams_out(const Job& job, Target& target, const Report& report);
void streams_both(const Job& job, Target& target, const Report& report);

}  // namespace isthmus::probes
