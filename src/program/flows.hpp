#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isthmus/platform/needs.hpp"
#include "program/device_flow.hpp"
#include "program/stream_flow.hpp"

namespace isthmus::program {

/// A way in which an application's data cross.
struct Flow {
  std::string_view name;
  platform::Needs needs;  ///< parts that a modelled board needs
  /// Sets it up, where messages lie in the device's memory before and after the kernel; none where they go through
  /// the application's actors. Throws Error where the buffers of its kernel do not hold its messages.
  std::unique_ptr<DeviceFlow> (*between_copies)(offload::Device& device, const ByteApplication& application) = nullptr;
  /// Runs it on a modelled board, where words of messages go through the actors.
  StreamRun (*through_actors)(const platform::Description& board, const Job& job) = nullptr;
  bool at_once = false;       ///< whether several messages are under way between copies
  bool over_any = false;      ///< whether the job chooses among the board's channels; else the flow has one link
  bool on_threads = false;    ///< whether the flow also runs on this machine's threads
  bool in_place = false;      ///< whether the flow takes an application's datapath, which reads messages in place
  bool device_memory = true;  ///< whether kernels reach the device's memory
  bool host_memory = false;   ///< whether kernels reach the host's memory over the link by themselves
  /// Tells whether packets of a network come to its host threads and leave from them, on a board whose host has one.
  bool host_network = false;
  bool storage = false;  ///< whether messages may come from a drive
  /// The parts that a board must have if an application has buffers that ports move; none: the flow moves none.
  platform::Needs port_needs{};
  /// The parts that a board must have if an application's messages are packets; none: the flow carries no packets.
  platform::Needs packet_needs{};
  /// The faults that act on something: of messages and of packets on a modelled board, and on threads.
  std::span<const std::string_view> faults{};
  std::span<const std::string_view> packet_faults{};
  std::span<const std::string_view> thread_faults{};

  /// Tells whether the application has the kernel that it takes, and that has what it needs.
  bool takes(const ByteApplication& application) const {
    if (application.extras.memory && !device_memory) return false;
    if (application.extras.host && !host_memory) return false;
    if (application.extras.from_storage && !storage) return false;
    if (between_copies != nullptr) return application.extras.device.has_value();
    if (application.extras.packets && packet_needs.empty()) return false;
    if (!application.extras.buffers.empty() && port_needs.empty()) return false;
    return application.kernel || (in_place && (application.extras.datapath || application.extras.together));
  }
};

/// The needs of copies of messages and a kernel between them.
inline constexpr std::array<std::string_view, 9> kBetweenCopies = {"pcie", "memory", "cores", "call",  "mmio",
                                                                   "dma",  "dram",   "axi",   "kernel"};

/// The flows that there are, in the order in which they are preferred.
std::span<const Flow> all_flows();
std::vector<std::string> flow_names();

/// Throws Error with the nearest name where there is none of that name.
const Flow& flow_named(const std::string& name);

/// The names of those that take an application.
std::vector<std::string> flows_of(const ByteApplication& application);

}  // namespace isthmus::program
