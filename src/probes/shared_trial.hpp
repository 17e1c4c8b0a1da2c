#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isthmus/platform/shared_board.hpp"
#include "probes/line_mover.hpp"

namespace isthmus::probes {

/// The state of the lines in caches before a circuit is timed.
enum class Start : std::uint8_t {
  cold,     ///< a core has written the lines: the host's cache holds what fits, the FPGA's cache nothing
  warm,     ///< a core has written the lines, and then the circuit has accessed each
  flushed,  ///< no cache holds any of the lines
};
inline constexpr std::array<std::string_view, 3> kStarts{"cold", "warm", "flushed"};

/// The work of a circuit of a shared board in a trial.
struct Trial {
  fabric::LineAccess::Kind kind = fabric::LineAccess::Kind::read;
  Start start = Start::flushed;
  std::string way{};  ///< channel, or the choice among channels; empty: the coherent channel
  std::uint64_t lines = 1;
  int burst = 1;            ///< lines of a request
  bool one_by_one = false;  ///< each access begins when the one before has ended, at one port, and its phases are kept
};

/// The times at which an access passed each place.
struct AccessTimes {
  Time begin;      ///< time of the request at the circuit
  Time looked_up;  ///< time of the look-up in the cache's tags
  Time came_back;  ///< time at which the result leaves the cache
  Time end;        ///< time of the result at the circuit
};

struct TrialResult {
  Time elapsed;                     ///< time from the first request to the last result
  std::vector<AccessTimes> each{};  ///< of accesses one by one; with phases on the coherent channel
  std::vector<std::pair<std::string, std::int64_t>> requests{};  ///< requests by channel
};

/// Throws Error where bytes come back changed, or lines do not fit into the page table.
TrialResult run_trial(const platform::Description& board, const Trial& trial);

}  // namespace isthmus::probes
