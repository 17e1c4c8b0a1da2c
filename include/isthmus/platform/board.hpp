#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/axi.hpp"
#include "isthmus/fabric/dram_spec.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/stream/vocabulary.hpp"

namespace isthmus::fabric {
class AxiReader;
class AxiWriter;
class DeviceMemory;
class DramController;
struct DramMasters;
struct DramPortSpec;
class Host;
struct PcieLink;
}  // namespace isthmus::fabric

/// A board in a graph: what its file's parts are built of, whatever runs on it. Flows attach to it what drives them.
namespace isthmus::platform {

/// The device's memory and the way to it.
struct MemorySpec {
  fabric::DramSpec dram;
  fabric::AxiSpec axi;
  std::size_t channels;  ///< memory channels that hold buffers
  Bytes channel_capacity;
};

/// A link, and what it is called where there are several.
struct BoardLink {
  std::string channel;
  fabric::PcieLinkSpec pcie;
};

/// The parts that a board is built of: the parts that it has and, of what takes several parts, what it has all of.
struct BoardSpec {
  std::optional<fabric::HostMemorySpec> host{};  ///< memory of the host; none on a board without links
  std::vector<BoardLink> links{};
  std::optional<MemorySpec> memory{};
};

/// Throws Error naming the key where numbers contradict each other.
BoardSpec board_spec(const Description& board);

/// The scope of what belongs to one of a board's links: its channel, none where the board has no other.
std::string scope_of_link(const BoardSpec& board, std::size_t link);

/// Memory for a board, nothing in it; without channels where the board has none.
fabric::DeviceMemory device_memory(const BoardSpec& board);

/// A master of the device's memory: what reports call its AXI ports.
struct Master {
  std::string reads;
  std::string writes;
  std::optional<Bandwidth> rate{};  ///< rate of a master, if it is slower than the ports' data path
};

/// A master's ends to memory: a reading and a writing AXI port, which have no clock.
struct MasterEnds {
  In<fabric::AxiRegion>& regions;
  Out<fabric::AxiBurst>& data;
  In<fabric::AxiStore>& stores;
  Out<fabric::AxiDone>& written;
};

/// The bursts that have passed the two ports of a master.
struct MasterPassed {
  fabric::AxiPassed read;
  fabric::AxiPassed written;
};

/// An actor of a streaming kernel that reads memory, or writes it.
struct StreamingMaster {
  std::string name;  ///< name of the master's way to memory in reports
  Clock clock;
  std::optional<int> outstanding{};  ///< bursts that the master has under way; none: as many as the AXI ports have
};

/// What such an actor has of memory (stacc table I), on its clock, and the AXI port behind it.
struct DramReadEnds {
  In<DramReadReq>& requests;
  Out<DramReadResp>& words;
  ActorId port;
};
struct DramWriteEnds {
  In<DramWriteApply>& requests;
  In<DramWriteData>& words;
  ActorId port;
};

/// Reads of single words at random places of a board's memory.
struct RandomReads {
  Time latency;       ///< time of one read by a streaming kernel, if the channel is idle and holds another row open
  double per_second;  ///< most bursts a second that the timings of one channel allow
};
RandomReads random_reads(const MemorySpec& memory);

/// Board is what a platform file describes, built in a graph: links, memory controllers and the ways to them, each an
/// actor. A flow attaches to it what drives them.
///
///     namespace platform = isthmus::platform;
///     const platform::Description f1 = platform::load(platform::file_of("model:aws-f1"));
///     const platform::BoardSpec spec = platform::board_spec(f1);
///     isthmus::fabric::DeviceMemory memory = platform::device_memory(spec);
///     isthmus::Graph graph;
///     platform::Board board(graph, spec, memory);
///     const platform::DramReadEnds reader =
///         board.add_streaming_reader({.name = "table", .clock = isthmus::Clock{f1.frequency("kernel.clock")}});
///     board.connect_memory();  // once all masters are there
///
/// Mistakes that are told, each as an Error:
/// - A file with a key that is missing, unknown or out of its range: FILE:LINE, the key, what was expected.
/// - Keys that contradict each other: board_spec names both.
/// - Ports of a link or a master that nobody connected: when the graph is run, by their names.
class Board {
 public:
  /// Builds all but the memory's controllers in `graph`, in a host of its own, of which `cores` move bytes.
  /// `memory` has the channels of the spec and lives longer.
  Board(Graph& graph, const BoardSpec& spec, fabric::DeviceMemory& memory, int cores = 0);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  /// The same in a host that other boards are in too, which has room for its links and cores.
  Board(Graph& graph, const BoardSpec& spec, fabric::DeviceMemory& memory, fabric::Host& host);

  /// In the order of the board's file; whoever builds a flow connects every port of each.
  std::deque<fabric::PcieLink>& links() { return *links_; }

  /// Connects a core that moves bytes in the host's memory, of a board with a link.
  void attach_core(Out<fabric::HostRequest>& moves, In<fabric::HostMoved>& moved);

  /// Adds a master's ports; its bursts meet those of others at the controllers. The board has memory.
  MasterEnds add_master(const Master& master);
  /// Adds a master that is an actor of a streaming kernel.
  DramReadEnds add_streaming_reader(const StreamingMaster& master);
  DramWriteEnds add_streaming_writer(const StreamingMaster& master);
  /// The number of masters.
  std::size_t masters() const { return ports_.size(); }
  /// What a master passes that both reads and writes.
  MasterPassed passed(std::size_t master) const;

  /// Builds the controllers, once all masters are there.
  void connect_memory();
  /// The controllers, channel by channel; none before connect_memory().
  const std::vector<ActorId>& dram() const { return dram_; }

 private:
  /// The ports of a master; one that only reads, or only writes, lacks the other.
  struct Ports {
    fabric::AxiSpec axi;
    fabric::AxiReader* reader;
    fabric::AxiWriter* writer;
  };
  void add_links(const BoardSpec& spec);
  fabric::AxiSpec axi_of(const StreamingMaster& master) const;
  fabric::DramPortSpec port_spec(const fabric::AxiSpec& axi) const;
  fabric::DramMasters count_masters() const;
  void connect(fabric::DramController& dram, std::size_t channel);

  Graph& graph_;
  std::optional<MemorySpec> memory_spec_;
  fabric::DeviceMemory& memory_;
  std::unique_ptr<fabric::Host> own_host_;
  fabric::Host* host_ = nullptr;
  std::unique_ptr<std::deque<fabric::PcieLink>> links_;
  std::vector<Ports> ports_;
  std::vector<ActorId> dram_;
};

/// The parts of the device's memory, whose controllers are `dram`.
std::vector<PartPlan> parts_of_memory(const std::vector<ActorId>& dram);

/// A channel between a part on a clock and one without: a register at each end.
ChannelOptions register_on(const Clock& clock, int depth);

/// The channels from an AXI port to the controller's queue, which takes `controller`, and back. The first has all of
/// the interconnect's latency, so that a controller knows early what will not come; from outside only the sum is seen.
ChannelOptions axi_requests(const fabric::AxiSpec& axi, Time controller);
ChannelOptions axi_answers(const fabric::AxiSpec& axi, Time controller);

/// Bursts that wait before and behind an AXI port's data path: it never stands still for want of room in a stream.
inline constexpr int kBursts = 4;

/// The name of memory channels in reports, before their number.
inline constexpr const char* kDram = "device DRAM";

}  // namespace isthmus::platform
