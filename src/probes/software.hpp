#pragma once

#include "isthmus/probes/probe.hpp"

/// Probes of what software costs on a processor whose memory the FPGA reaches by ports (min2019 IV.B).
namespace isthmus::probes {

/// Rates at which a core copies between cacheable and non-cacheable memory.
void core_copies(const Job& job, Target& target, const Report& report);

/// Rates at which a core transposes matrices into cacheable and non-cacheable memory.
void transposes(const Job& job, Target& target, const Report& report);

/// Rates at which a core flushes and invalidates buffers.
void maintenance(const Job& job, Target& target, const Report& report);

}  // namespace isthmus::probes
