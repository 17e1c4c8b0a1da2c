#pragma once

#include "isthmus/stream.hpp"
#include "isthmus/stream/pinned_memory.hpp"

namespace isthmus {

/// From one register to the next where no number of a board says how long that takes: a channel between parts without a
/// clock needs some time, and a nanosecond is far less than anything that is known of them.
inline constexpr Time kHandOver = Time::ns(1);

/// The interface of a link to host memory in a graph, whatever it is made of: the device's reads and writes, messages
/// between host software and device. Whoever builds it connects every port; those on the host's side have no clock, and
/// a channel from `host_messages` takes `root_complex`.
///
/// Whoever asks for words must have room for them in the channel from `read_data`, and whoever loads room for the
/// reply: the link has no backpressure there (stacc V-B). The link's parts end once the writer of `mmio` and the
/// device's parts have.
struct PcieInterface {
  In<PcieReadReq>& read_requests;
  Out<PcieReadResp>& read_data;
  In<PcieWriteApply>& write_requests;
  In<PcieWriteData>& write_data;
  Out<PcieWriteDone>& writes_done;
  Out<MmioRequest>& device_mmio;       ///< stores and loads of host software, as they arrive at the device
  In<DeviceMessage>& device_messages;  ///< replies and interrupts of the device, as it sends them
  In<MmioRequest>& mmio;               ///< stores and loads of host software, as the host sends them
  Out<DeviceMessage>& host_messages;   ///< replies and interrupts of the device, as they arrive at the host
  PinnedMemory& memory;
  Time root_complex;  ///< time of one way between a core and the link
};

}  // namespace isthmus
