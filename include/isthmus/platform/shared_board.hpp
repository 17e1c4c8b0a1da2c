#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/fabric/coherence/channel_selector.hpp"
#include "isthmus/fabric/coherence/coherence.hpp"
#include "isthmus/fabric/coherence/coherent_host.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"

/// A board whose circuits work on the host's memory through a coherent cache, in a graph, whatever runs on it.
namespace isthmus::platform {

/// The kinds of parts that such a board has.
inline constexpr std::array<std::string_view, 7> kSharedNeeds = {kCoherentLink, "memory",     "llc",   "translation",
                                                                 "cache",       "reordering", "kernel"};

/// The same, and stores to registers, which start a circuit.
inline constexpr auto kSharedMachineNeeds = [] {
  std::array<std::string_view, kSharedNeeds.size() + 1> needs{};
  std::ranges::copy(kSharedNeeds, needs.begin());
  needs.back() = "mmio";
  return needs;
}();

/// The name that commands use for the choice among all channels.
inline constexpr const char* kAnyOfThem = "va";

struct SharedSpec {
  std::vector<std::string> channels;  ///< names of the channels, the coherent link's first
  std::string link;                   ///< section with the coherent link's keys, such as "link.qpi"
  std::vector<BoardLink> links{};     ///< links of the other channels
  fabric::ChannelSelectorSpec selector{};
  fabric::CoherenceSpec coherence;
  fabric::ServicePhases phases{};
  fabric::ServiceLayerSpec layer;
  int ports = 1;
  Clock circuit;  ///< clock of the user's circuits
  fabric::SharedSpaceSpec space{};
};

/// Throws Error naming the key where numbers contradict each other, or the host's last-level cache is switched off.
SharedSpec shared_spec(const Description& board);

/// Lines that a core of the host has under way: the line fill buffers of its first cache.
inline constexpr int kLineFills = 10;

/// The number of the coherent channel in accesses.
inline constexpr std::uint8_t kCoherentWay = 0;

/// What a circuit may name as its way: the channels, and where there are several the choice among them.
std::vector<std::string> ways_of(const SharedSpec& spec);
/// The channels of any board, and where a circuit may leave the choice to the board that choice.
std::vector<std::string> ways_of(const Description& board);
/// What stands for one of them in accesses. Throws Error where the board has none of that name.
std::uint8_t way_named(const SharedSpec& spec, const std::string& name);

class SharedBoard {
 public:
  static constexpr std::size_t kFpga = 0;  ///< number of the FPGA's cache among the agents of the home
  static constexpr std::size_t kHost = 1;

  /// Builds home, caches and, at each port of the FPGA's cache, a service layer, for `cores` of the host.
  /// `memory` and `space`, which is of it, live longer.
  SharedBoard(Graph& graph, const SharedSpec& spec, PinnedMemory& memory, const fabric::SharedSpace& space, int cores,
              fabric::CoherenceObserver* observer = nullptr);

  /// A circuit's reads, and its writes, at a port.
  void attach_reads(int port, Out<fabric::LineAccess>& reads, In<fabric::LineResult>& results);
  void attach_writes(int port, Out<fabric::LineAccess>& writes, In<fabric::LineResult>& results);
  /// Leaves out the reads and the writes that nothing is attached to. A graph runs behind that.
  void leave_out_rest();
  /// A core of the host, on `core_clock`, whose addresses are those of memory. Cores are attached in any order.
  void attach_core(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results);
  /// The same as far from the last-level cache as a hit there takes (host.llc.hit_latency).
  void attach_distant_core(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results);
  /// Connects the port at which the FPGA's cache reports the lines that it watches.
  void attach_hints(In<std::uint16_t>& hints);

  const Clock& core_clock() const { return spec_.coherence.clock; }
  /// From a store of a core to a register of the circuit, over the link.
  ChannelOptions to_circuit() const;
  const fabric::CoherentCache& cache(std::size_t agent = kFpga) { return coherence_.cache(agent); }
  /// What bounds the reads and the writes that are under way.
  std::vector<PartPlan> parts() const;

 private:
  void attach_core(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results, int cycles);
  fabric::ServiceLayer& layer(int port) { return *layers_[static_cast<std::size_t>(port)]; }
  void add_links(PinnedMemory& memory);
  void connect_channel(std::size_t place, In<fabric::LineAccess>& reads, Out<fabric::LineResult>& reads_done,
                       In<fabric::LineAccess>& writes, Out<fabric::LineResult>& writes_done);

  Graph& graph_;
  SharedSpec spec_;
  fabric::Coherence coherence_;
  std::vector<fabric::ServiceLayer*> layers_;
  std::optional<fabric::CoherentHost> host_;  ///< host behind the links
  std::vector<fabric::LineLink> links_;
  fabric::ChannelSelector* selector_ = nullptr;  ///< null on a board with one channel
  std::size_t cores_ = 0;
  std::vector<bool> reads_attached_;   ///< of each port
  std::vector<bool> writes_attached_;  ///< of each port
};

}  // namespace isthmus::platform
