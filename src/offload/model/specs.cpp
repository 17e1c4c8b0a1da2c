#include "offload/model/specs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/link.hpp"

namespace isthmus::offload::model {
namespace {

using platform::Description;

fabric::DramSpec dram_spec(const Description& p) {
  const Frequency transfers = p.frequency("device.dram.transfer_rate");
  const auto count = [&p](std::string_view key) { return static_cast<int>(p.count(key)); };
  return {.clock = {transfers.numerator, transfers.denominator * 2},
          .data_width = p.bytes("device.dram.data_width"),
          .burst_length = count("device.dram.burst_length"),
          .bank_groups = count("device.dram.bank_groups"),
          .banks = count("device.dram.banks"),
          .row_size = p.bytes("device.dram.row_size"),
          .CL = count("device.dram.CL"),
          .CWL = count("device.dram.CWL"),
          .tRCD = p.time("device.dram.tRCD"),
          .tRP = p.time("device.dram.tRP"),
          .tRAS = p.time("device.dram.tRAS"),
          .tRTP = p.time("device.dram.tRTP"),
          .tWR = p.time("device.dram.tWR"),
          .tCCD_S = count("device.dram.tCCD_S"),
          .tCCD_L = p.time("device.dram.tCCD_L"),
          .tRRD_S = p.time("device.dram.tRRD_S"),
          .tRRD_L = p.time("device.dram.tRRD_L"),
          .tFAW = p.time("device.dram.tFAW"),
          .tWTR_S = p.time("device.dram.tWTR_S"),
          .tWTR_L = p.time("device.dram.tWTR_L"),
          .turnaround = count("device.dram.turnaround"),
          .tREFI = p.time("device.dram.tREFI"),
          .tRFC = p.time("device.dram.tRFC"),
          .read_group = count("device.dram.read_group"),
          .write_group = count("device.dram.write_group"),
          .queue_depth = count("device.dram.queue_depth"),
          .idle_latency = p.time("device.dram.idle_latency")};
}

fabric::AxiSpec axi_spec(const Description& p) {
  const Bytes width = p.bytes("device.axi.data_width");
  const Bytes burst{p.count("device.axi.burst") * width.count};
  if (burst.count > static_cast<std::int64_t>(fabric::kLongestAxiBurst) || (burst.count & (burst.count - 1)) != 0)
    throw Error(fmt::format("{}: key 'device.axi.burst': expected beats that make a power of two up to {} B, got {} B",
                            p.file().string(), fabric::kLongestAxiBurst, burst.count));
  return {.width = width,
          .clock = p.frequency("device.axi.clock"),
          .latency = p.time("device.axi.latency"),
          .burst = burst,
          .outstanding = static_cast<int>(p.count("device.axi.outstanding"))};
}

fabric::DmaSpec dma_spec(const Description& p) {
  const Bytes request = p.bytes("link.pcie.max_read_request");
  return {.rate = p.bandwidth("dma.rate"),
          .descriptor_size = p.bytes("dma.descriptor_size"),
          .descriptor_payload = p.bytes("dma.descriptor_payload"),
          .descriptors_in_flight = static_cast<int>(p.count("dma.descriptors_in_flight")),
          .read_request = request,
          .read_buffer = {request.count * p.count("link.pcie.tags")},
          .interrupt = static_cast<int>(p.count("dma.interrupt"))};
}

Time hypervisor(const Description& p) {
  return p.flag("hypervisor.enabled") ? p.time("hypervisor.cost") : Time{};
}

/// What is left of `total` when the calling thread has paid its parts.
Time rest(const Description& p, std::string_view key, Time paid) {
  const Time total = p.time(key);
  if (total < paid)
    throw Error(fmt::format("{}: key '{}': expected at least {}, of which it is made up with others, got {}",
                            p.file().string(), key, to_string(paid), to_string(total)));
  return total - paid;
}

HostSpec host_spec(const Description& p) {
  const CallCosts calls{.enqueue = p.time("host.call.enqueue"), .wake = p.time("host.call.wake")};
  HostSpec host{.calls = calls,
                .transfer = rest(p, "host.call.transfer", calls.enqueue + calls.wake) + hypervisor(p),
                .launch = std::max(p.time("kernel.launch") - calls.enqueue, Time{}) + hypervisor(p),
                .interrupt = hypervisor(p),
                .store = p.time("host.mmio.store"),
                .line = p.bytes("host.mmio.payload"),
                .core_register = p.bytes("host.mmio.register"),
                .core_to_core = p.time("host.cache.core_to_core"),
                .copy = {},
                .alloc = {}};
  if (p.flag("host.copy.enabled")) host.copy = p.bandwidth("host.copy.rate");
  if (p.flag("host.alloc.enabled"))
    host.alloc = {.call = p.has("host.alloc.call") ? p.time("host.alloc.call") : Time{},
                  .rate = p.bandwidth("host.alloc.rate")};
  return host;
}

}  // namespace

MachineSpec machine_spec(const Description& p) {
  const fabric::AxiSpec axi = axi_spec(p);
  return {.link = platform::pcie_link_spec(p),
          .memory = platform::host_memory_spec(p),
          .host = host_spec(p),
          .dma = dma_spec(p),
          .dram = dram_spec(p),
          .axi = axi,
          .kernel = {.clock = {.frequency = p.frequency("kernel.clock")},
                     .axi = axi,
                     .onchip_capacity = p.bytes("device.onchip.capacity"),
                     .onchip_latency = static_cast<int>(p.count("device.onchip.latency"))},
          .memory_channels = static_cast<std::size_t>(p.count("device.dram.kernel_channels")),
          .channel_capacity = {p.bytes("device.dram.capacity").count / p.count("device.dram.channels")}};
}

}  // namespace isthmus::offload::model
