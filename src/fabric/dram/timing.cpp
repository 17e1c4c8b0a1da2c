#include "fabric/dram/timing.hpp"

#include <algorithm>
#include <cmath>

namespace isthmus::fabric::dram {
namespace {

/// The least whole number of cycles that holds `time`; a fortieth of a cycle is forgiven, because data sheets round
/// both the timing and the clock (JESD79-4, 13.1 rounding algorithms: 974 of 1000 are added, then truncated).
Cycle cycles(Time time, Frequency clock) {
  return static_cast<Cycle>(std::floor(time.seconds() * clock.hertz() + 0.974));
}

}  // namespace

Timing::Timing(const DramSpec& spec)
    : CL(spec.CL),
      CWL(spec.CWL),
      data(spec.burst_length / 2),
      RCD(cycles(spec.tRCD, spec.clock)),
      RP(cycles(spec.tRP, spec.clock)),
      RAS(cycles(spec.tRAS, spec.clock)),
      RTP(cycles(spec.tRTP, spec.clock)),
      WR(cycles(spec.tWR, spec.clock)),
      CCD_S(std::max<Cycle>(spec.tCCD_S, data)),
      CCD_L(std::max(cycles(spec.tCCD_L, spec.clock), CCD_S)),
      RRD_S(cycles(spec.tRRD_S, spec.clock)),
      RRD_L(cycles(spec.tRRD_L, spec.clock)),
      FAW(cycles(spec.tFAW, spec.clock)),
      WTR_S(cycles(spec.tWTR_S, spec.clock)),
      WTR_L(cycles(spec.tWTR_L, spec.clock)),
      REFI(static_cast<Cycle>(std::floor(spec.tREFI.seconds() * spec.clock.hertz()))),
      RFC(cycles(spec.tRFC, spec.clock)),
      read_to_write(std::max<Cycle>(1, CL + data + spec.turnaround - CWL)),
      write_to_read_S(CWL + data + WTR_S),
      write_to_read_L(CWL + data + WTR_L),
      write_to_precharge(CWL + data + WR) {}

}  // namespace isthmus::fabric::dram
