#pragma once

#include <cstdint>

#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric::dram {

using Cycle = std::int64_t;

enum class Direction : std::uint8_t { read, write };

/// The timings of DramSpec in clock cycles.
struct Timing {
  explicit Timing(const DramSpec& spec);

  Cycle CL, CWL, data;  ///< `data`: cycles that the data of a burst take
  Cycle RCD, RP, RAS, RTP, WR;
  Cycle CCD_S, CCD_L, RRD_S, RRD_L, FAW, WTR_S, WTR_L;
  Cycle REFI, RFC;

  Cycle read_to_write;    ///< cycles from read command to write command
  Cycle write_to_read_S;  ///< cycles from write command to read command in another bank group
  Cycle write_to_read_L;  ///< cycles from write command to read command in the same bank group
  Cycle write_to_precharge;
};

}  // namespace isthmus::fabric::dram
