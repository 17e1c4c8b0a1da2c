#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "probes/shared_trial.hpp"

namespace isthmus::probes {

/// What a CPU builds of nodes, a line each, for a circuit to walk.
enum class Structure : std::uint8_t {
  list,        ///< each node leads to the next, anywhere
  hash_table,  ///< chains of entries: one in the table, those that meet there behind it; look-ups follow them
};
inline constexpr std::array<std::string_view, 2> kStructures{"list", "hash-table"};

struct PointerWalk {
  Structure structure = Structure::list;
  Start start = Start::flushed;
  std::string way{};        ///< the channel, or the choice among them; empty: the coherent one
  std::uint64_t lines = 1;  ///< of the structure
  int at_once = 1;          ///< walks, each of a list or of look-ups of its own; of lists no more than lines
};

/// Nodes of lists that are walked, or look-ups, at most; they are drawn at random of all that lie in memory.
inline constexpr std::uint64_t kMostWalked = 4096;

/// Runs a circuit over what the CPU has built; gives how long it took for each node, from where it knew its address,
/// and compares what it found with the CPU's own walk. Throws Error where that differs, or lines do not fit into the
/// page table.
std::vector<Time> run_pointer_walk(const platform::Description& board, const PointerWalk& walk);

}  // namespace isthmus::probes
