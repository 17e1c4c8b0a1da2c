#pragma once

#include <cstdint>

#include "isthmus/fabric/pcie.hpp"
#include "isthmus/stream/pinned_memory.hpp"

namespace isthmus::fabric {

struct HostMemorySpec {
  Bandwidth bandwidth;          ///< all channels together: transfer rate * width * channels
  Time latency = Time::ns(90);  ///< of an idle read, from the root complex and back to it
};

/// Writes to this address are message-signalled interrupts (6.1.4); their first two bytes are the number.
inline constexpr std::uint64_t kInterruptAddress = 0xfee0'0000;

/// The host's end of the link with its memory: serves the device's reads and writes in the order in which they arrive
/// and hands replies and interrupts to host software.
///
/// A request occupies the memory for its bytes at the memory's bandwidth. The way through root complex and memory is
/// the latency of the channel from `out` to the lane (PcieLink).
class HostMemory {
 public:
  In<Tlps> in{"in"};
  Out<Tlps> out{"out"};
  Out<Dllps> dllps{"dllps"};
  Out<DeviceMessage> messages{"messages"};

  HostMemory(const PcieLinkSpec& link, const HostMemorySpec& spec);

  void step();
  /// It ends with the lane that it reads.
  bool done() const { return false; }

  PinnedMemory& memory() { return memory_; }
  /// Credits of packets taken off the link, not yet returned.
  Credits unreturned() const { return receipts_.kept(); }

 private:
  void read(const Tlps& request);
  void write(const Tlps& tlps);
  void deliver(const Tlps& tlps, DeviceMessage::Kind kind);
  void occupy(std::int64_t bytes);

  Timer timer_;
  PcieLinkSpec link_;
  double byte_time_fs_;
  Receipts receipts_;
  PinnedMemory memory_;
};

/// The bytes of the next completion of a read that continues at `addr`: no more than the largest payload, and it ends
/// at a multiple of the read completion boundary unless it is the last (2.3.1.1).
std::int64_t completion_bytes(const PcieLinkSpec& spec, std::uint64_t addr, std::int64_t remaining);

/// Where stores and loads of host software enter the link.
class MmioPort {
 public:
  In<MmioRequest> in{"in"};
  Out<Tlps> out{"out"};
  void step();
  /// It ends with host software.
  bool done() const { return false; }
};

}  // namespace isthmus::fabric
