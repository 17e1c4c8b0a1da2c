#pragma once

#include <array>
#include <cstdint>

#include "isthmus/probes/copy.hpp"
#include "isthmus/probes/memory.hpp"
#include "isthmus/probes/probe.hpp"

/// Probes against `offload::Device`: copies, memory, registers, launches, of models and of real devices.
namespace isthmus::probes {

inline constexpr Bytes kCacheLine{64};
inline constexpr std::array kAccessSizes{Bytes{4}, Bytes{8}, kCacheLine};  ///< of registers
inline constexpr std::int64_t kPage = 4096;                                ///< in which the device's accesses end

/// Copies, one at a time, of each size.
void copies_by_size(Direction direction, HostSide side, const Job& job, Target& target, const Report& report);
template <Direction direction, HostSide side>
void copies_by_size(const Job& job, Target& target, const Report& report) {
  copies_by_size(direction, side, job, target, report);
}

/// Both directions at once.
void duplex(const Job& job, Target& target, const Report& report);

/// A copy of a line, from call to return.
void cache_line(const Job& job, Target& target, const Report& report);

/// Accesses of the host to registers.
void stores(const Job& job, Target& target, const Report& report);
void loads(const Job& job, Target& target, const Report& report);

/// Accesses of the device to the host's memory.
void device_latency(const Job& job, Target& target, const Report& report);

/// Kernels that pass over device memory.
void memory(Access access, const Job& job, Target& target, const Report& report);
template <Access access>
void memory(const Job& job, Target& target, const Report& report) {
  memory(access, job, target, report);
}

void empty_launches(const Job& job, Target& target, const Report& report);

/// The rest of the link's bandwidth as each step pays for one more thing.
void steps(const Job& job, Target& target, const Report& report);

}  // namespace isthmus::probes
