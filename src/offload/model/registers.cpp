#include "offload/model/registers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

/// What leaves the core: as many packets as the accesses make, each of so many bytes.
struct AccessPackets {
  MmioRequest::Kind kind;
  std::int64_t count;
  std::int64_t bytes;
};

AccessPackets packets_of(const RegisterAccess& access, int count, const RegistersSpec& registers) {
  const Bytes line = registers.line;
  const std::int64_t size = access.size.count;
  if (size < 1 || size > line.count)
    throw Error(
        fmt::format("an access of {} bytes to registers: expected 1 to {} (host.mmio.payload)", size, line.count));
  if (access.kind == RegisterAccess::Kind::load)
    return {.kind = MmioRequest::Kind::load, .count = count, .bytes = size};
  if (access.write_combining)
    return {
        .kind = MmioRequest::Kind::store, .count = (count * size + line.count - 1) / line.count, .bytes = line.count};
  const std::int64_t each = std::min(size, registers.core_register.count);
  return {.kind = MmioRequest::Kind::store, .count = count * ((size + each - 1) / each), .bytes = each};
}

/// A core that does nothing but these accesses: a store is on its way when it has left the core, a load is waited for.
class AccessingCore {
 public:
  Out<MmioRequest> mmio{"mmio"};
  In<DeviceMessage> replies{"replies"};

  AccessingCore(const AccessPackets& packets, Time store) : packets_(packets), store_(store) {}

  void step() {
    MmioRequest request{};
    request.kind = packets_.kind;
    request.bytes = static_cast<std::uint8_t>(packets_.bytes);
    for (std::int64_t i = 0; i < packets_.count; ++i) {
      if (packets_.kind == MmioRequest::Kind::store) timer_.wait(store_);
      mmio.push(request);
      if (packets_.kind == MmioRequest::Kind::load) replies.read();
    }
    took_ = timer_.now();
    finished_ = true;
  }
  bool done() const { return finished_; }
  Time took() const { return took_; }

 private:
  Timer timer_;
  AccessPackets packets_;
  Time store_;
  Time took_{};
  bool finished_ = false;
};

/// Takes stores, answers loads; asks nothing of the link itself.
class Registers {
 public:
  In<MmioRequest> in{"in"};
  Out<DeviceMessage> replies{"replies"};
  void step() {
    const MmioRequest request = in.read();
    if (request.kind == MmioRequest::Kind::store) return;
    DeviceMessage& reply = replies.slot();
    reply.kind = DeviceMessage::Kind::reply;
    reply.bytes = request.bytes;
    reply.tag = request.tag;
  }
  /// It ends with the link.
  bool done() const { return false; }
};

Bandwidth payload_rate(const fabric::PcieLinkSpec& spec) {
  const auto payload = static_cast<double>(std::min(spec.max_payload, spec.max_read_request).count);
  const double share = payload / (payload + static_cast<double>(spec.completion_overhead.count));
  return {fabric::raw_bandwidth(spec).bytes_per_second * share};
}

}  // namespace

std::vector<Bandwidth> rates_of_links(const MachineSpec& machine) {
  std::vector<Bandwidth> rates;
  rates.reserve(machine.engines.size());
  for (std::size_t link = 0; link < machine.engines.size(); ++link)
    rates.push_back(std::min(payload_rate(machine.board.links[link].pcie), machine.engines[link].rate));
  return rates;
}

std::optional<LinkRates> link_rates(const MachineSpec& machine) {
  if (machine.board.links.empty()) return {};
  const fabric::PcieLinkSpec& spec = machine.board.links.front().pcie;
  return LinkRates{.advertised = fabric::advertised_bandwidth(spec), .payload = payload_rate(spec)};
}

Time access_registers(const MachineSpec& spec, const RegisterAccess& access, int count, const RunOrder& order) {
  Graph graph(order.seed);
  const RegistersSpec& mmio = needed(spec.registers);
  fabric::DeviceMemory memory = platform::device_memory(spec.board);
  platform::Board board(graph, spec.board, memory);
  fabric::PcieLink& link = board.links().front();
  const ActorOptions block{.clock = spec.board.links.front().pcie.user_clock};
  auto& core = graph.add<AccessingCore>("core", {}, packets_of(access, count, mmio), mmio.store);
  auto& registers = graph.add<Registers>("registers", block);
  auto& user = graph.add<fabric::NoUser>("user", block);
  graph.connect(core.mmio, link.mmio, out_of_core(1));
  graph.connect(link.host_messages, core.replies, into_core(link, 1));
  graph.connect(link.device_mmio, registers.in, {.depth = 4});
  graph.connect(registers.replies, link.device_messages, {.depth = 4});
  fabric::connect(graph, user, link, {});
  const RunReport report = graph.run({.throw_on_error = false, .schedule_seed = order.schedule_seed});
  if (report.outcome != Outcome::finished) throw Error(fmt::format("model of registers: {}", report.message));
  return core.took();
}

}  // namespace isthmus::offload::model
