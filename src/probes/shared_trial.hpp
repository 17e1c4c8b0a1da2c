#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isthmus/platform/shared_board.hpp"
#include "probes/line_mover.hpp"

namespace isthmus::probes {

/// What caches hold of the lines before a circuit is timed.
enum class Start : std::uint8_t {
  cold,     ///< the FPGA's nothing, the host's what a core has left that wrote them
  warm,     ///< a core has written them, and the circuit accessed each
  flushed,  ///< neither anything
};
inline constexpr std::array<std::string_view, 3> kStarts{"cold", "warm", "flushed"};

/// What a circuit of a shared board does in a trial.
struct Trial {
  fabric::LineAccess::Kind kind = fabric::LineAccess::Kind::read;
  Start start = Start::flushed;
  std::uint64_t lines = 1;
  bool one_by_one = false;  ///< each access when the one before has ended, at one port, with its phases told
};

/// When an access was where.
struct AccessTimes {
  Time begin;      ///< at the circuit
  Time looked_up;  ///< at the cache's tags
  Time came_back;  ///< behind the cache
  Time end;        ///< at the circuit
};

struct TrialResult {
  Time elapsed;                     ///< from the first request to the last result
  std::vector<AccessTimes> each{};  ///< of a trial that goes one by one
};

/// Throws Error where bytes come back changed, or lines do not fit into the page table.
TrialResult run_trial(const platform::Description& board, const Trial& trial);

}  // namespace isthmus::probes
