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
  std::string way{};  ///< the channel, or the choice among them; empty: the coherent one
  std::uint64_t lines = 1;
  int burst = 1;            ///< lines of a request
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
  std::vector<AccessTimes> each{};  ///< of a trial that goes one by one; of the coherent channel with phases
  std::vector<std::pair<std::string, std::int64_t>> requests{};  ///< by channel
};

/// The address of so many bytes. Throws Error naming the keys where they do not fit into the page table.
std::uint64_t allocate_shared(const platform::Description& board, fabric::SharedSpace& space, std::uint64_t bytes);

/// Throws Error where bytes come back changed, or lines do not fit into the page table.
TrialResult run_trial(const platform::Description& board, const Trial& trial);

}  // namespace isthmus::probes
