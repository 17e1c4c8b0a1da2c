#pragma once

#include <array>
#include <optional>

#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/vocabulary.hpp"
#include "offload/model/command.hpp"

/// What a transfer passes in the host: driver call, pinned allocation, copy, doorbell and interrupt; each is an actor, so
/// that each has its busy share. They work on a transfer one after the other (choi2019 3.2.1).
namespace isthmus::offload::model {

/// Pinned memory of one direction: the buffer that a transfer passes through, and its descriptors.
class Staging {
 public:
  Staging(PinnedMemory& memory, const fabric::DmaSpec& dma) : memory_(memory), dma_(dma) {}
  /// Makes room for the command's bytes and writes the descriptors.
  void prepare(Command& command);

 private:
  static void grow(PinnedMemory& memory, std::optional<PinnedMemory::Region>& region,
                   std::uint64_t bytes);

  PinnedMemory& memory_;
  fabric::DmaSpec dma_;
  std::optional<PinnedMemory::Region> buffer_;
  std::optional<PinnedMemory::Region> descriptors_;
};

/// The driver's work for a transfer, its size apart.
class TransferCall {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  TransferCall(Time cost, Staging staging) : cost_(cost), staging_(std::move(staging)) {}
  void step();
  /// It ends with the runtime.
  bool done() const { return false; }

 private:
  Timer timer_;
  Time cost_;
  Staging staging_;
};

/// Allocates the pinned buffer of a transfer, at a rate (choi2019 fig. 5).
class PinnedAllocation {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  explicit PinnedAllocation(Bandwidth rate) : rate_(rate) {}
  void step();
  bool done() const { return false; }

 private:
  Timer timer_;
  Bandwidth rate_;
};

/// Copies between pageable and pinned memory on one thread, at a rate; without one the application's memory is pinned.
class HostCopy {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  explicit HostCopy(std::optional<Bandwidth> rate) : rate_(rate) {}
  void step();
  bool done() const { return false; }

 private:
  Timer timer_;
  std::optional<Bandwidth> rate_;
};

/// The runtime's and driver's work from the enqueue of a kernel to its start.
class LaunchCall {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  explicit LaunchCall(Time cost) : cost_(cost) {}
  void step();
  bool done() const { return false; }

 private:
  Timer timer_;
  Time cost_;
};

/// Where the driver meets the device: rings a unit's doorbell, and takes its interrupt.
class DeviceAccess {
 public:
  std::array<In<CommandToken>, fabric::kUnits> submitted;
  In<DeviceMessage> messages{"messages"};
  Out<MmioRequest> mmio{"mmio"};
  std::array<Out<CommandToken>, fabric::kUnits> completed;

  /// `interrupt` is what an interrupt costs beyond a transfer's or launch's own cost: a hypervisor's part.
  DeviceAccess(Time store, Time interrupt) : store_(store), interrupt_(interrupt) {}
  void step();
  bool done() const { return finished_; }

 private:
  bool take_interrupt();
  bool ring_doorbells();

  Timer timer_;
  Time store_;
  Time interrupt_;
  std::array<Command*, fabric::kUnits> under_way_{};
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
