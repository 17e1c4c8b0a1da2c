#pragma once

#include "isthmus/probes/probe.hpp"

/// Probes of boards whose circuits work on the host's memory through a coherent cache.
namespace isthmus::probes {

/// Latencies of single accesses, and of the phases that make them up.
void cache_hits(const Job& job, Target& target, const Report& report);
void cache_misses(const Job& job, Target& target, const Report& report);

/// Lines that go to the other side and come back.
void loopbacks(const Job& job, Target& target, const Report& report);

/// Structures of the CPU that a circuit walks: how long each node takes.
void pointer_walks(const Job& job, Target& target, const Report& report);

/// Rates of many lines, one after the other.
void shared_reads(const Job& job, Target& target, const Report& report);
void shared_writes(const Job& job, Target& target, const Report& report);

}  // namespace isthmus::probes
