#pragma once

#include <optional>
#include <vector>

#include "application/run.hpp"
#include "flows/stream/board_host.hpp"
#include "flows/stream/board_memory.hpp"
#include "isthmus/application/kernel.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {

/// Tells whether a kernel reaches a link for more than its messages: the host's memory, or control messages.
bool reaches_link(const ByteApplication& application);

/// The board of a kernel in a graph, without what carries its messages: its link, which all share that use it, and the
/// memories behind and beside it.
class BoardDevices {
 public:
  /// A board with one link, or with none.
  BoardDevices(Graph& graph, const platform::Description& board, const platform::BoardSpec& parts);

  fabric::PcieLink& pcie() { return fpga_.links().front(); }
  /// The host's end of the link: its pools, and control messages. Once; the board has a link.
  HostLink& add_host_link();

  /// Gives the kernel of an application what it keeps in memory, on this clock.
  void offer(const Extras& extras, const Clock& clock, KernelEnds& ends);
  /// Once the kernel is there.
  void connect();
  /// Shows the application what the run has left.
  void finish() const;

  /// The parts between the kernel and the device's memory, and between it and the link, for its own requests.
  std::vector<platform::PartPlan> memory_parts() const;
  std::vector<platform::PartPlan> host_parts() const;

 private:
  Graph& graph_;
  const platform::Description& board_;
  platform::BoardSpec parts_;
  fabric::DeviceMemory cells_;
  platform::Board fpga_;
  std::optional<LinkUsers> users_;
  std::optional<HostLink> link_;
  std::optional<BoardMemoryEnds> memory_;
  std::optional<BoardHostEnds> host_;
};

}  // namespace isthmus::program
