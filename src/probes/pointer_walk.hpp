#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "probes/shared_trial.hpp"

namespace isthmus::probes {

/// The structure that a CPU builds of nodes, a line each, for a circuit to walk.
enum class Structure : std::uint8_t {
  list,        ///< a list whose nodes lie anywhere
  hash_table,  ///< a hash table with chains: the first entry is in the table, further ones lie behind it
};
inline constexpr std::array<std::string_view, 2> kStructures{"list", "hash-table"};

struct PointerWalk {
  Structure structure = Structure::list;
  Start start = Start::flushed;
  std::string way{};        ///< channel, or the choice among channels; empty: the coherent channel
  std::uint64_t lines = 1;  ///< lines of the structure
  int at_once = 1;          ///< walks side by side, each of its own list or look-ups; at most one a line for lists
};

/// Nodes of lists that are walked, or look-ups, at most; they are drawn at random of all that lie in memory.
inline constexpr std::uint64_t kMostWalked = 4096;

/// Runs a circuit over what the CPU has built; gives how long it took for each node, from where it knew its address,
/// and compares what it found with the CPU's own walk. Throws Error where that differs, or lines do not fit into the
/// page table.
std::vector<Time> run_pointer_walk(const platform::Description& board, const PointerWalk& walk);

}  // namespace isthmus::probes
