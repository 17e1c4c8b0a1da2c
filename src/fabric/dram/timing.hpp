#pragma once

#include <cstdint>

#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric::dram {

using Cycle = std::int64_t;

enum class Direction : std::uint8_t { read, write };

/// The timings of DramSpec in clock cycles.
struct Timing {
  explicit Timing(const DramSpec& spec);

  Cycle CL, CWL, data;  ///< `data`: how long the data of a burst take
  Cycle RCD, RP, RAS, RTP, WR;
  Cycle CCD_S, CCD_L, RRD_S, RRD_L, FAW, WTR_S, WTR_L;
  Cycle REFI, RFC;

  Cycle read_to_write;    ///< read command to write command
  Cycle write_to_read_S;  ///< write command to read command, other bank group
  Cycle write_to_read_L;  ///< the same, same bank group
  Cycle write_to_precharge;
};

}  // namespace isthmus::fabric::dram
