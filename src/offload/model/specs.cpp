#include "offload/model/specs.hpp"

#include <fmt/format.h>

#include <string_view>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::offload::model {
namespace {

using platform::Description;
using platform::Section;

Time hypervisor(const Description& board) {
  const Section* part = board.find("hypervisor");
  return part != nullptr && part->flag("enabled") ? part->time("cost") : Time{};
}

/// What is left of a call's `total` when the calling thread has paid its parts.
Time rest(const Section& call, std::string_view total, Time paid) {
  const Time whole = call.time(total);
  if (whole < paid)
    throw Error(fmt::format("{}: key '{}': expected at least {}, of which it is made up with others, got {}",
                            call.place_of(total), call.name_of(total), to_string(paid), to_string(whole)));
  return whole - paid;
}

RegistersSpec registers_spec(const Section& mmio) {
  return {.store = mmio.time("store"), .line = mmio.bytes("payload"), .core_register = mmio.bytes("register")};
}

std::optional<AllocationSpec> allocation_spec(const Section* alloc) {
  if (alloc == nullptr || !alloc->flag("enabled")) return {};
  return AllocationSpec{.call = alloc->has("call") ? alloc->time("call") : Time{}, .rate = alloc->bandwidth("rate")};
}

std::optional<CopySpec> copy_spec(const Section* copy) {
  if (copy == nullptr || !copy->flag("enabled")) return {};
  const Bandwidth rate = copy->bandwidth("rate");
  CopySpec spec{.rate = rate, .cached_rate = rate, .fits = 0};
  if (copy->has("cached_rate") != copy->has("cached_size"))
    throw Error(fmt::format("{}: keys '{}' and '{}': expected both or neither, got one",
                            copy->place_of(copy->has("cached_rate") ? "cached_rate" : "cached_size"),
                            copy->name_of("cached_rate"), copy->name_of("cached_size")));
  if (!copy->has("cached_rate")) return spec;
  spec.cached_rate = copy->bandwidth("cached_rate");
  spec.fits = static_cast<std::uint64_t>(copy->bytes("cached_size").count);
  return spec;
}

HostSpec host_spec(const Description& board) {
  const Section& call = board.the("call");
  const CallCosts calls{.enqueue = call.time("enqueue"), .wake = call.time("wake")};
  HostSpec host{.calls = calls,
                .transfer = rest(call, "transfer", calls.enqueue + calls.wake) + hypervisor(board),
                .launch = hypervisor(board),
                .interrupt = hypervisor(board),
                .core_to_core = board.the("cores").time("core_to_core"),
                .copy = copy_spec(board.find("copy")),
                .alloc = allocation_spec(board.find("alloc")),
                .chunk = {}};
  if (const Section* kernel = board.find("kernel"))
    host.launch += std::max(kernel->time("launch") - calls.enqueue, Time{});
  if (const Section* runtime = board.find("runtime"); runtime != nullptr && runtime->text("staging") == "chunked") {
    host.chunk = static_cast<std::uint64_t>(runtime->bytes("chunk").count);
    host.alloc.reset();
  }
  return host;
}

KernelSpec kernel_spec(const Description& board, const MachineSpec& machine) {
  const Section* onchip = board.find("onchip");
  return {.clock = {.frequency = board.the("kernel").frequency("clock")},
          .axi = machine.board.memory ? machine.board.memory->axi : fabric::AxiSpec{},
          .onchip_capacity = onchip != nullptr ? onchip->bytes("capacity") : Bytes{},
          .onchip_latency = onchip != nullptr ? onchip->count("latency") : 0};
}

}  // namespace

MachineSpec machine_spec(const Description& board) {
  const auto has = [&board](platform::Needs kinds) { return platform::has_all(board, kinds); };
  MachineSpec machine{.board = platform::board_spec(board)};
  if (const Section* mmio = board.find("mmio")) machine.registers = registers_spec(*mmio);
  if (has(needs::kHost)) machine.host = host_spec(board);
  if (has(needs::kCopies))
    for (const std::string& channel : platform::channels_of(board, "pcie"))
      machine.engines.push_back(platform::kinds::dma_spec(board.the("dma"), board.over(channel).the("pcie")));
  if (board.find("kernel") != nullptr) machine.kernel = kernel_spec(board, machine);
  return machine;
}

MachineSpec over_first_link(MachineSpec spec) {
  if (spec.board.links.size() > 1) spec.board.links.resize(1);
  if (spec.engines.size() > 1) spec.engines.resize(1);
  return spec;
}

}  // namespace isthmus::offload::model
