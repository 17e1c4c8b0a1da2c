#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isthmus/fabric/axi.hpp"
#include "isthmus/stream.hpp"
#include "isthmus/stream/vocabulary.hpp"

/// The registers by which host software starts what the FPGA holds, and the interrupts that tell it of the end.
namespace isthmus::fabric {

/// What host software starts: a direction of a DMA engine, or a kernel. Its number is that of its page of registers and
/// of its interrupt.
using Unit = std::uint16_t;

/// The numbers of a device's units: both directions of each DMA engine, then the kernels.
class Units {
 public:
  Units(std::size_t engines, std::size_t kernels) : engines_(engines), kernels_(kernels) {}
  static Unit to_device(std::size_t engine) { return static_cast<Unit>(2 * engine); }
  static Unit to_host(std::size_t engine) { return static_cast<Unit>(2 * engine + 1); }
  Unit kernel(std::size_t kernel) const { return static_cast<Unit>(2 * engines_ + kernel); }
  std::size_t engines() const { return engines_; }
  std::size_t kernels() const { return kernels_; }
  std::size_t count() const { return 2 * engines_ + kernels_; }

  bool is_kernel(Unit unit) const { return unit >= 2 * engines_ && unit < count(); }
  std::size_t kernel_of(Unit unit) const { return unit - 2 * engines_; }
  std::size_t engine_of(Unit unit) const { return unit / 2U; }

 private:
  std::size_t engines_;
  std::size_t kernels_;
};

/// A transfer: a list of descriptors in host memory, one after the other.
struct DmaJob {
  std::uint64_t descriptors;
  std::uint32_t count;
};

/// Starts a transfer in one of an engine's directions.
struct DmaStart {
  bool to_device;
  DmaJob job;
};

/// What one store to a kernel's page of registers carries. Line 0 starts the kernel; those after it, stored before,
/// hold the arguments that it has no room for.
struct KernelStore {
  std::uint32_t line;
  std::array<std::byte, 64> content;
};

/// A launch as its kernel sees it; what the arguments mean is the kernel's business.
struct KernelCall {
  std::vector<std::uint64_t> arguments;
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
};

/// The most arguments that a kernel's page of registers holds.
extern const std::size_t kMostArguments;

/// The stores of a launch to a kernel that has registers of its own, in their order.
std::vector<KernelStore> stores_of(const KernelCall& call);

/// The next launch, put together from its stores. Arguments that nobody stored are 0.
KernelCall read_call(In<KernelStore>& stores);

struct KernelDone {};

/// What host software stores to start a unit, one store after the other; of the arguments there are kMostArguments at
/// most.
std::vector<MmioRequest> doorbell(Unit unit, const DmaJob& job);
std::vector<MmioRequest> doorbell(Unit unit, const KernelCall& call);

/// The registers: a store goes to the unit whose page it meets.
class DeviceRegisters {
 public:
  In<MmioRequest> in{"in"};
  PortArray<Out<DmaStart>> engines;
  PortArray<Out<KernelStore>> kernels;

  DeviceRegisters(std::size_t engines, std::size_t kernels);
  void step();
  /// It ends with the link.
  bool done() const { return false; }

 private:
  Units units_;
};

/// Interrupts host software when a unit is done.
class DeviceInterrupts {
 public:
  PortArray<In<AxiDone>> to_device;
  PortArray<In<PcieWriteDone>> to_host;
  PortArray<In<KernelDone>> kernels;
  Out<DeviceMessage> out{"out"};

  DeviceInterrupts(std::size_t engines, std::size_t kernels);
  void step();
  bool done() const { return finished_; }

 private:
  template <class Port>
  bool take(PortArray<Port>& ports, Unit first, Unit stride);
  void interrupt(Unit unit);

  Units units_;
  bool finished_ = false;
};

}  // namespace isthmus::fabric
