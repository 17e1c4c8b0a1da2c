#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/vocabulary.hpp"
#include "offload/model/command.hpp"
#include "offload/model/specs.hpp"

/// What a transfer passes in the host: driver call, pinned allocation, copy, doorbell and interrupt; each is an actor,
/// so that each has its busy share. They work on a transfer one after the other (choi2019 3.2.1).
namespace isthmus::offload::model {

/// Pinned memory of one worker: the buffer that its transfers pass through, and their descriptors. Its addresses are
/// its own, so that they depend on nobody else.
class Staging {
 public:
  Staging(PinnedMemory& memory, const fabric::DmaSpec& dma)
      : memory_(memory), addresses_(memory.reserve()), dma_(dma) {}
  /// Makes room for the command's bytes and writes the descriptors.
  void prepare(Command& command);

 private:
  /// `region`, after it was replaced by a larger one if it was too small.
  const PinnedMemory::Region& grown(std::optional<PinnedMemory::Region>& region, std::uint64_t bytes);

  PinnedMemory& memory_;
  PinnedMemory::Addresses addresses_;
  fabric::DmaSpec dma_;
  std::optional<PinnedMemory::Region> buffer_;
  std::optional<PinnedMemory::Region> descriptors_;
};

/// The driver's work for a transfer, its size apart.
class TransferCall {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  /// Without `staging` there is no engine that moves anything.
  TransferCall(Time cost, std::optional<Staging> staging) : cost_(cost), staging_(std::move(staging)) {}
  void step();
  /// It ends with the runtime.
  bool done() const { return false; }

 private:
  Timer timer_;
  Time cost_;
  std::optional<Staging> staging_;
};

/// Allocates the pinned buffer of a transfer (choi2019 fig. 5).
class PinnedAllocation {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  explicit PinnedAllocation(const AllocationSpec& cost) : cost_(cost) {}
  void step();
  bool done() const { return false; }

 private:
  Timer timer_;
  AllocationSpec cost_;
};

/// A core that copies: at its rate, or as fast as the memory moves what it reads and writes, which others use too.
/// What fits a cache is copied there.
class CopyingCore {
 public:
  /// To the host's memory; none where the core copies nothing.
  PortArray<Out<fabric::HostRequest>> moves;
  PortArray<In<fabric::HostMoved>> moved;

  explicit CopyingCore(const std::optional<CopySpec>& spec);
  /// Lets the time pass that a copy takes.
  void copy(std::uint64_t bytes);

 private:
  void copy_through_memory(std::uint64_t bytes);
  void await_oldest();

  Timer timer_;
  std::optional<CopySpec> spec_;
  int under_way_ = 0;
};

/// Copies between pageable and pinned memory on one thread; without a rate the application's memory is pinned. A
/// transfer to the device is copied before it goes, one to the host when it has come.
class HostCopy {
 public:
  CopyingCore core;
  In<CommandToken> in{"in"};
  Out<CommandToken> submit{"submit"};
  In<CommandToken> arrived{"arrived"};
  Out<CommandToken> out{"out"};
  explicit HostCopy(const std::optional<CopySpec>& spec) : core(spec), copies_(spec) {}
  void step();
  /// It ends with the runtime.
  bool done() const { return false; }

 private:
  void pass(Command& command);

  Timer timer_;
  bool copies_;
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

/// Which commands are with which unit of the device.
class UnitsUnderWay {
 public:
  explicit UnitsUnderWay(std::size_t units) : commands_(units) {}
  bool free(fabric::Unit unit) const { return !commands_.at(unit); }
  bool any() const;
  void begin(CommandToken token) { commands_.at(token.command->unit) = token; }
  CommandToken end(std::size_t unit) { return std::exchange(commands_.at(unit), std::nullopt).value(); }

 private:
  std::vector<std::optional<CommandToken>> commands_;
};

/// Where so many workers meet the device: rings a unit's doorbell when the unit is free, and takes its interrupts.
class DeviceAccess {
 public:
  PortArray<In<CommandToken>> submitted;
  PortArray<Out<CommandToken>> completed;
  In<DeviceMessage> messages{"messages"};
  Out<MmioRequest> mmio{"mmio"};

  /// `interrupt` is what an interrupt costs beyond a transfer's or launch's own cost: a hypervisor's part.
  DeviceAccess(std::size_t workers, std::size_t units, Time store, Time interrupt)
      : submitted(workers), completed(workers), store_(store), interrupt_(interrupt), units_(units) {}
  void step();
  bool done() const { return finished_; }

 private:
  bool take_interrupt();
  bool ring_doorbells();

  Timer timer_;
  Time store_;
  Time interrupt_;
  UnitsUnderWay units_;
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
