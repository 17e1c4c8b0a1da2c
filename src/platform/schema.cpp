#include "isthmus/platform/schema.hpp"

#include <algorithm>
#include <array>

namespace isthmus::platform {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kGiB = 1024 * kMiB;
constexpr double kGB = 1e9;
constexpr double ns = 1e-9;
constexpr double us = 1e-6;
constexpr double ms = 1e-3;
constexpr double MHz = 1e6;
constexpr double MTps = 1e6;
constexpr bool kPowerOfTwo = true;
constexpr bool kMayBeLeftOut = true;

using enum Kind;

constexpr std::array kSchema = std::to_array<Key>({
    {"link.pcie.generation", count, 1, 5,
     "PCI Express generation: 2.5, 5, 8, 16 or 32 GT/s a lane; 8b/10b encoding up to 2, 128b/130b from 3"},
    {"link.pcie.lanes", count, 1, 32, "lanes of the link, each full duplex"},
    {"link.pcie.max_payload",
     bytes,
     128,
     256,
     "largest payload of a write or completion (Max_Payload_Size); the link's packets hold 256 B",
     {},
     kPowerOfTwo},
    {"link.pcie.max_read_request",
     bytes,
     128,
     4096,
     "most that one read request asks for (Max_Read_Request_Size)",
     {},
     kPowerOfTwo},
    {"link.pcie.read_completion_boundary",
     bytes,
     64,
     128,
     "the root complex may split completions only at multiples of this (RCB)",
     {},
     kPowerOfTwo},
    {"link.pcie.request_overhead", bytes, 12, 64,
     "what a write or a read request adds to its payload: framing, sequence number, header with 64-bit address, CRCs"},
    {"link.pcie.completion_overhead", bytes, 12, 64,
     "what a completion adds to its payload: framing, sequence number, header, CRCs"},
    {"link.pcie.dllp_size", bytes, 6, 16, "an Ack or a flow-control update on the wire, with its framing"},
    {"link.pcie.ack_every", count, 1, 64, "transaction-layer packets received for one Ack"},
    {"link.pcie.update_fc_every", count, 1, 64, "packets taken out of the receive buffer for one flow-control update"},
    {"link.pcie.tags", count, 1, 1024, "read requests that a device may have under way"},
    {"link.pcie.posted_header_credits", count, 1, 127, "writes for which a receiver has room"},
    {"link.pcie.posted_data_credits", count, 8, 2047, "16-byte units of write payload for which a receiver has room"},
    {"link.pcie.nonposted_header_credits", count, 1, 127, "read requests for which a receiver has room"},
    {"link.pcie.flight", time, 0, 10 * us,
     "from the last byte on the wire of one end to the packet's hand-over at the other: physical and link layers"},
    {"link.pcie.round_trip", time, 10 * ns, 100 * us,
     "from a device's read request to its completion on an idle link, host memory included, time on the wire apart"},
    {"link.pcie.user_width", bytes, 8, 128, "data path of the FPGA's PCIe block, each direction", {}, kPowerOfTwo},
    {"link.pcie.user_clock", frequency, MHz, 2000 * MHz, "clock of that data path"},

    {"host.memory.transfer_rate", transfers, 100 * MTps, 20000 * MTps, "transfer rate of the host's DRAM"},
    {"host.memory.data_width", bytes, 1, 128, "data bus of one channel of the host's DRAM"},
    {"host.memory.channels", count, 1, 64, "channels of the host's DRAM"},
    {"host.memory.latency", time, ns, 10 * us,
     "idle read of the host's DRAM, from the root complex and back to it: a part of link.pcie.round_trip"},
    {"host.cache.core_to_core", time, ns, 10 * us, "a cache line from one core of the host to another"},
    {"host.copy.enabled", flag, 0, 1, "whether a transfer copies between pageable and pinned memory"},
    {"host.copy.rate", bandwidth, 0.001 * kGB, 1000 * kGB, "rate of that copy on one thread", "host.copy.enabled"},
    {"host.alloc.enabled", flag, 0, 1, "whether a transfer allocates its pinned buffer each time"},
    {"host.alloc.rate", bandwidth, 0.001 * kGB, 1000 * kGB,
     "bytes of pinned memory allocated in a second on one thread", "host.alloc.enabled"},
    {"host.alloc.call",
     time,
     0,
     100 * ms,
     "what an allocation of pinned memory costs besides, bytes apart; 0 if it is left out",
     {},
     false,
     kMayBeLeftOut},
    {"host.call.transfer", time, 0, 100 * ms,
     "software cost of one transfer from call to return, bytes apart: runtime, driver, interrupt, wake-up"},
    {"host.call.enqueue", time, 0, 100 * ms, "what a thread pays to enqueue a command that it does not wait for"},
    {"host.call.wake", time, 0, 100 * ms, "from the end of a command to the return of the thread that waits for it"},
    {"host.mmio.payload",
     bytes,
     4,
     64,
     "most that one store to the device carries: the CPU's bus interface unit",
     {},
     kPowerOfTwo},
    {"host.mmio.register",
     bytes,
     4,
     64,
     "most that one store carries which is not combined with others: a register of the core",
     {},
     kPowerOfTwo},
    {"host.mmio.store", time, 0, 100 * us, "what a thread pays for one such store, which it does not wait for"},
    {"hypervisor.enabled", flag, 0, 1, "whether each driver call and interrupt goes through a hypervisor"},
    {"hypervisor.cost", time, 0, 100 * ms, "what one such trip costs", "hypervisor.enabled"},

    {"dma.rate", bandwidth, 0.001 * kGB, 1000 * kGB, "what one direction of the DMA engine's data path moves"},
    {"dma.descriptor_size",
     bytes,
     32,
     256,
     "one descriptor in host memory, fetched over the link: two addresses and a length",
     {},
     kPowerOfTwo},
    {"dma.descriptor_payload", bytes, 64, kGiB, "most that one descriptor moves"},
    {"dma.descriptors_in_flight", count, 1, 1024, "descriptors that an engine fetches ahead"},
    {"dma.interrupt", cycles, 2, 1024,
     "cycles of the user clock from the end of a transfer or kernel to its message on the link"},

    {"device.dram.capacity", bytes, kMiB, 4096 * kGiB, "the device's DRAM, all channels together"},
    {"device.dram.channels", count, 1, 64, "channels of the device's DRAM, each with its controller"},
    {"device.dram.kernel_channels", count, 1, 4, "channels over which a kernel's buffers are spread"},
    {"device.dram.transfer_rate", transfers, 100 * MTps, 20000 * MTps, "transfer rate; the DRAM's clock is half of it"},
    {"device.dram.data_width", bytes, 1, 128, "data bus of one channel, without ECC", {}, kPowerOfTwo},
    {"device.dram.burst_length", count, 4, 16, "transfers of one read or write command (BL)", {}, kPowerOfTwo},
    {"device.dram.bank_groups", count, 1, 16, "bank groups of a rank; 1 where the standard has none", {}, kPowerOfTwo},
    {"device.dram.banks", count, 2, 64, "banks in a bank group", {}, kPowerOfTwo},
    {"device.dram.row_size", bytes, 512, 64 * kKiB, "one row of a bank over the whole rank", {}, kPowerOfTwo},
    {"device.dram.CL", cycles, 1, 100, "read command to first data"},
    {"device.dram.CWL", cycles, 1, 100, "write command to first data"},
    {"device.dram.tRCD", time, 0, us, "activate to read or write of the row"},
    {"device.dram.tRP", time, 0, us, "precharge to activate of the bank"},
    {"device.dram.tRAS", time, 0, us, "activate to precharge of the bank"},
    {"device.dram.tRTP", time, 0, us, "read to precharge of the bank"},
    {"device.dram.tWR", time, 0, us, "last write data to precharge of the bank"},
    {"device.dram.tCCD_S", cycles, 1, 100, "column command to column command of another bank group"},
    {"device.dram.tCCD_L", time, 0, us, "column command to column command of the same bank group"},
    {"device.dram.tRRD_S", time, 0, us, "activate to activate of another bank group"},
    {"device.dram.tRRD_L", time, 0, us, "activate to activate of the same bank group"},
    {"device.dram.tFAW", time, 0, us, "window that holds at most four activates"},
    {"device.dram.tWTR_S", time, 0, us, "last write data to read of another bank group"},
    {"device.dram.tWTR_L", time, 0, us, "last write data to read of the same bank group"},
    {"device.dram.turnaround", cycles, 0, 100, "idle data bus between read data and write data"},
    {"device.dram.tREFI", time, 100 * ns, ms, "average time from refresh to refresh"},
    {"device.dram.tRFC", time, 10 * ns, 10 * us, "refresh to the rank's next command"},
    {"device.dram.read_group", count, 1, 1024, "bursts read before the controller turns to waiting writes"},
    {"device.dram.write_group", count, 1, 1024, "bursts written before the controller turns to waiting reads"},
    {"device.dram.queue_depth", count, 1, 1024, "bursts that wait in the controller, reads and writes each"},
    {"device.dram.idle_latency", time, ns, 100 * us,
     "read of a closed row on an idle channel, from the controller's port back to it, DRAM timings included"},

    {"device.axi.data_width",
     bytes,
     4,
     128,
     "AXI data path between kernel and controller, each direction",
     {},
     kPowerOfTwo},
    {"device.axi.clock", frequency, MHz, 2000 * MHz, "clock of that path"},
    {"device.axi.burst", count, 1, 256, "beats of one AXI burst that a kernel asks for"},
    {"device.axi.outstanding", count, 1, 1024, "AXI bursts that a kernel has under way, reads and writes each"},
    {"device.axi.latency", time, 0, 100 * us, "what the way through the AXI interconnect and back adds to an access"},

    {"device.onchip.capacity", bytes, kKiB, kGiB, "block RAM of the FPGA"},
    {"device.onchip.latency", cycles, 1, 64, "address to data of block RAM"},

    {"kernel.clock", frequency, MHz, 2000 * MHz, "clock of the user's kernel"},
    {"kernel.launch", time, 0, 100 * ms, "from the enqueue of a kernel that waits for nothing to its first cycle"},

    {"stream.request_size",
     bytes,
     64,
     64 * kKiB,
     "largest piece in which the FPGA asks for or writes a buffer",
     {},
     kPowerOfTwo},
    {"stream.requests_in_flight", count, 1, 1024, "read requests of that size under way, each with its reply buffer"},
    {"stream.request_gap", cycles, 0, 1024, "cycles of the user clock that a request takes besides its data"},
    {"stream.buffer_size", bytes, 4 * kKiB, kGiB, "one pinned, physically contiguous host buffer of a pool"},
    {"stream.input_buffers", count, 1, 4096, "buffers in the pool from host to FPGA"},
    {"stream.output_buffers", count, 1, 4096, "buffers in the pool from FPGA to host"},
    {"stream.library_call", time, 0, 100 * us,
     "acquire, commit, receive or release of a buffer: a library call that stays in user space"},
    {"stream.porter_period", time, 10 * ns, 100 * ms, "from one round of the porter thread to its next"},
});

constexpr std::array kRelations = std::to_array<Relation>({
    {"link.pcie.flight", 2, "link.pcie.round_trip", 1},
    {"host.memory.latency", 1, "link.pcie.round_trip", 1},
    {"host.mmio.register", 1, "host.mmio.payload", 1},
    {"link.pcie.max_payload", 1, "link.pcie.posted_data_credits", 16},  // one write must fit the receiver's room
    {"device.dram.kernel_channels", 1, "device.dram.channels", 1},
    {"device.dram.read_group", 1, "device.dram.queue_depth", 1},
    {"device.dram.write_group", 1, "device.dram.queue_depth", 1},
    {"device.dram.tRFC", 2, "device.dram.tREFI", 1},
    {"stream.request_size", 1, "stream.buffer_size", 1},
});

}  // namespace

std::span<const Key> schema() {
  return kSchema;
}

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(kSchema, name, &Key::name);
  return found == kSchema.end() ? nullptr : &*found;
}

std::span<const Relation> relations() {
  return kRelations;
}

}  // namespace isthmus::platform
