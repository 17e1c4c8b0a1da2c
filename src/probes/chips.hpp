#pragma once

#include "isthmus/probes/probe.hpp"

/// Probes of boards whose FPGA reaches a processor's memory by ports (min2019).
namespace isthmus::probes {

/// Rates of a buffer that a port moves to the FPGA, or to the processor.
void port_sends(const Job& job, Target& target, const Report& report);
void port_receives(const Job& job, Target& target, const Report& report);

/// Rates of a core's copies between types of memory.
void core_copies(const Job& job, Target& target, const Report& report);

/// Rates of a core that transposes a matrix.
void transposes(const Job& job, Target& target, const Report& report);

/// Rates of a core that flushes or invalidates what caches have of buffers.
void maintenance(const Job& job, Target& target, const Report& report);

}  // namespace isthmus::probes
