#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/coherence/axi_lines.hpp"
#include "isthmus/fabric/coherence/coherence.hpp"
#include "isthmus/fabric/core_memory.hpp"
#include "isthmus/fabric/dram.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/description.hpp"

/// A processor and an FPGA on one chip, with one DRAM, in a graph, whatever runs on it: the FPGA reaches the
/// processor's memory by ports.
namespace isthmus::platform {

/// The kinds of parts that such a board has.
inline constexpr std::array<std::string_view, 10> kSocNeeds = {
    "cpu", "l2", "prefetch", "write_stream", "maintenance", "interconnect", "hp", "hpc", "acp", "dram"};

/// The kinds of parts that a run with an application's circuits needs.
inline constexpr std::array<std::string_view, 11> kSocRunNeeds = {
    "cpu", "l2", "prefetch", "write_stream", "maintenance", "interconnect", "hp", "hpc", "acp", "dram", "engines"};

/// The memory that a port leads to.
enum class SocRoute : std::uint8_t {
  memory,        ///< the DRAM's controller
  interconnect,  ///< the home of lines, which snoops the processor's caches
  cache,         ///< the processor's second cache
};

struct SocPortSpec {
  std::string name;  ///< name of the port, such as "hp"
  SocRoute route;
  bool by_software;  ///< whether software keeps the port coherent: it flushes and invalidates the caches
  fabric::AxiSpec axi;
};

struct SocSpec {
  Clock cpu;
  int cores;
  Time copy;                        ///< time in which a core copies 16 B that it has at hand
  Time element;                     ///< time in which a core computes an element from data that it has at hand
  int to_cache;                     ///< cycles from a core to the cache and back
  fabric::CoherenceSpec coherence;  ///< specification of the coherence network: one cache, without ports yet
  fabric::CoreMemorySpec core;
  bool maintenance;
  Time maintain;  ///< time in which a core maintains a line
  std::vector<SocPortSpec> ports;
  fabric::DramSpec dram;
  Bytes capacity;
};

/// Throws Error naming the key where numbers contradict each other, or what the board lacks.
SocSpec soc_spec(const Description& board);

/// The place of a port among the spec's. Throws Error where there is none of that name.
std::size_t port_named(const SocSpec& spec, const std::string& name);

/// The number of cores that access memory.
struct SocCores {
  int cached = 0;    ///< cores that go through the second-level cache
  int uncached = 0;  ///< cores that bypass the caches
};

class SocBoard {
 public:
  /// Builds DRAM, home and cache, the ports at those places of the spec, and room for the cores. `cells` lives longer.
  SocBoard(Graph& graph, const SocSpec& spec, fabric::DramCells& cells, std::span<const std::size_t> ports,
           const SocCores& cores, fabric::CoherenceObserver* observer = nullptr);
  SocBoard(const SocBoard&) = delete;
  SocBoard& operator=(const SocBoard&) = delete;

  /// What a circuit has of the port that is number `port` of those built.
  MasterEnds port(std::size_t port) const;
  /// A core, on the processor's clock. Cores are attached in any order; there are as many as the constructor was told.
  void attach_core(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results);
  /// The same with non-cacheable memory, past the cache and its home.
  void attach_uncached(fabric::CoreMemory& core);
  /// The processor's second cache.
  fabric::CoherentCache& cache() { return coherence_.cache(0); }

 private:
  struct Port {
    fabric::AxiReader* reader;
    fabric::AxiWriter* writer;
  };
  /// A master of the DRAM, on the processor's clock.
  struct Master {
    Out<fabric::AxiRead>& reads;
    In<fabric::AxiBurst>& data;
    Out<fabric::AxiWrite>& writes;
    In<fabric::AxiWritten>& written;
  };
  void connect_master(const Master& master, int there, int back);
  void connect_to_memory(const SocPortSpec& spec, const Port& port);
  void connect_by_lines(const SocPortSpec& spec, const Port& port);
  fabric::AxiLines& add_lines(const SocPortSpec& spec, const Port& port);
  void attach_client(Out<fabric::LineAccess>& accesses, In<fabric::LineResult>& results, int there, int back);
  int cycles_of(Time time) const;

  Graph& graph_;
  SocSpec spec_;
  fabric::Coherence coherence_;
  fabric::DramController& dram_;
  std::vector<Port> ports_;
  std::size_t masters_ = 0;  ///< connected masters of the DRAM
  std::size_t clients_ = 0;  ///< connected clients of the cache
};

}  // namespace isthmus::platform
