#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/fabric/coherence/coherence.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"

/// A board whose circuits work on the host's memory through a coherent cache, in a graph, whatever runs on it.
namespace isthmus::platform {

/// The kinds of parts that such a board has.
inline constexpr std::array<std::string_view, 7> kSharedNeeds = {"qpi",   "memory",     "llc",   "translation",
                                                                 "cache", "reordering", "kernel"};

struct SharedSpec {
  std::string channel;  ///< what the coherent link is called
  fabric::CoherenceSpec coherence;
  fabric::ServicePhases phases;
  fabric::ServiceLayerSpec layer;
  int ports = 1;
  Clock circuit;  ///< of the user's circuits
  std::optional<fabric::PageTableSpec> table{};
};

/// Throws Error naming the key where numbers contradict each other, or the host's last-level cache is switched off.
SharedSpec shared_spec(const Description& board);

class SharedBoard {
 public:
  static constexpr std::size_t kFpga = 0;  ///< agents of the home
  static constexpr std::size_t kHost = 1;

  /// Builds home, caches and, at each port of the FPGA's cache, a service layer, for so many cores of the host.
  /// `memory` and `space`, which is of it, live longer.
  SharedBoard(Graph& graph, const SharedSpec& spec, PinnedMemory& memory, const fabric::SharedSpace& space, int cores,
              fabric::CoherenceObserver* observer = nullptr);

  /// A circuit's reads, and its writes, at a port. Each that nothing is attached to is to be left out.
  void attach_reads(int port, Out<fabric::LineAccess>& reads, In<fabric::LineResult>& results);
  void attach_writes(int port, Out<fabric::LineAccess>& writes, In<fabric::LineResult>& results);
  void leave_out_reads(int port);
  void leave_out_writes(int port);
  /// A core of the host, on `core_clock`, whose addresses are those of memory. Cores are attached in any order.
  void attach_core(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results);

  const Clock& core_clock() const { return spec_.coherence.clock; }
  const fabric::CoherentCache& cache() { return coherence_.cache(kFpga); }
  /// What bounds the reads and the writes that are under way.
  std::vector<PartPlan> parts() const;

 private:
  fabric::ServiceLayer& layer(int port) { return *layers_[static_cast<std::size_t>(port)]; }

  Graph& graph_;
  SharedSpec spec_;
  fabric::Coherence coherence_;
  std::vector<fabric::ServiceLayer*> layers_;
  std::size_t cores_ = 0;
  int left_out_ = 0;
};

}  // namespace isthmus::platform
