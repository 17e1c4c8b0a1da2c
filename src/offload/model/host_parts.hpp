#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/pinned_memory.hpp"
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
  /// What is copied passes `chunk` by chunk if there is one: chunks take turns in two places.
  Staging(PinnedMemory& memory, const fabric::DmaSpec& dma, const std::optional<std::uint64_t>& chunk);
  /// That of a coarse model, which holds nothing: only the chunks are told.
  Staging(const fabric::DmaSpec& dma, const std::optional<std::uint64_t>& chunk);
  /// Makes room for the command's bytes and writes the descriptors.
  void prepare(Command& command);

 private:
  /// `region`, after it was replaced by a larger one if it was too small: the worker's last transfer has ended.
  const PinnedMemory::Region& grown(std::optional<PinnedMemory::Region>& region, std::uint64_t bytes);

  PinnedMemory* memory_ = nullptr;
  PinnedMemory::Addresses addresses_;
  fabric::DmaSpec dma_;
  std::uint64_t chunk_ = 0;  ///< in whole words of descriptors; 0: none
  std::optional<PinnedMemory::Region> buffer_;
  std::optional<PinnedMemory::Region> descriptors_;
};

/// The driver's work for a transfer, its size apart.
class TransferCall {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  /// Without `staging` there is no engine that moves anything.
  TransferCall(Time cost, const std::optional<Staging>& staging) : cost_(cost), staging_(staging) {}
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

/// The commands that each unit of the device has at the moment.
class UnitsUnderWay {
 public:
  explicit UnitsUnderWay(std::size_t units) : commands_(units) {}
  bool any() const;
  /// Takes of each port the next command whose unit is free, and calls `began` with it; whether there was one.
  template <class Began>
  bool begin_free(PortArray<In<CommandToken>>& submitted, const Began& began) {
    bool any = false;
    for (auto& port : submitted) {
      CommandToken token{};
      if (!port.peek(token) || !free(token.command->unit)) continue;
      port.pull();
      commands_.at(token.command->unit) = token.command;
      began(token);
      any = true;
    }
    return any;
  }
  CommandToken end(std::size_t unit) { return {std::exchange(commands_.at(unit), nullptr)}; }

 private:
  bool free(fabric::Unit unit) const { return commands_.at(unit) == nullptr; }

  std::vector<Command*> commands_;  ///< by tokens that it holds
};

/// On which way a unit is reached, and what it is called there: a DMA engine is behind its link, kernels are behind the
/// first.
class UnitWays {
 public:
  explicit UnitWays(const fabric::Units& all) : all_(all), first_(units_on(all, 0)) {}
  /// The units on a way.
  static fabric::Units units_on(const fabric::Units& all, std::size_t way);
  struct Place {
    std::size_t way;
    fabric::Unit unit;
  };
  Place place_of(fabric::Unit unit) const;
  fabric::Unit unit_at(const Place& place) const;

 private:
  fabric::Units all_;
  fabric::Units first_;
};

/// The place at which all workers meet the device: it rings a unit's doorbell when the unit is free, and takes its
/// interrupts.
class DeviceAccess {
 public:
  PortArray<In<CommandToken>> submitted;
  PortArray<Out<CommandToken>> completed;
  PortArray<In<DeviceMessage>> messages;  ///< a way each
  PortArray<Out<MmioRequest>> mmio;

  /// What an access costs; `interrupt` beyond a transfer's or launch's own cost: a hypervisor's part.
  struct Costs {
    Time store;
    Time interrupt;
  };
  DeviceAccess(std::size_t workers, std::size_t ways, const fabric::Units& units, const Costs& costs)
      : submitted(workers),
        completed(workers),
        messages(ways, "messages"),
        mmio(ways, "mmio"),
        costs_(costs),
        places_(units),
        units_(units.count()) {}
  void step();
  bool done() const { return finished_; }

 private:
  bool take_interrupt();
  bool ring_doorbells();

  Timer timer_;
  Costs costs_;
  UnitWays places_;
  UnitsUnderWay units_;
  bool finished_ = false;
};

}  // namespace isthmus::offload::model
