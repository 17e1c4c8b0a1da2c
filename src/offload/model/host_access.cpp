#include "offload/model/host_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr int kSamples = 16;  // accesses at least whose latency is averaged: what Acks and updates add comes in turn

/// The accesses of one run. Those of the first round, which find the link empty, are not counted; those of the last
/// keep it as full as it is while they are.
struct AccessPlan {
  HostAccess::Kind kind;
  std::int64_t words;    ///< of an access
  std::uint64_t first;   ///< where one begins in its stride
  std::uint64_t stride;  ///< from access to access: none crosses a page
  int in_flight;
  int counted;

  int count() const { return counted + 2 * in_flight; }

  /// The offset of the `index`th in a region that each round goes through again.
  std::uint64_t offset(int index) const { return first + static_cast<std::uint64_t>(index % in_flight) * stride; }
  std::int64_t region() const { return static_cast<std::int64_t>(stride) * in_flight; }
};

/// A read takes a tag for each of its requests, a write one to be read back.
int most_at_once(const HostAccess& access, const fabric::PcieLinkSpec& link) {
  if (access.kind == HostAccess::Kind::write) return link.tags;
  const std::int64_t requests = (access.size.count + link.max_read_request.count - 1) / link.max_read_request.count;
  return static_cast<int>(std::max<std::int64_t>(1, link.tags / requests));
}

AccessPlan plan_of(const HostAccess& access, const fabric::PcieLinkSpec& link) {
  const std::int64_t size = access.size.count;
  if (size < kWordBytes || size > kPage || size % kWordBytes != 0)
    throw Error(fmt::format("an access of {} bytes to host memory: expected a multiple of {} up to {}", size,
                            kWordBytes, kPage));
  const std::int64_t offset = access.offset.count;
  if (offset < 0 || offset % kWordBytes != 0 || size + offset > kPage)
    throw Error(fmt::format("an access of {} bytes from byte {} of a page: expected a multiple of {} up to {}", size,
                            offset, kWordBytes, kPage - size));
  const int in_flight = access.at_once ? most_at_once(access, link) : 1;
  return {.kind = access.kind,
          .words = size / kWordBytes,
          .first = static_cast<std::uint64_t>(offset),
          .stride = std::bit_ceil(static_cast<std::uint64_t>(size + offset)),
          .in_flight = in_flight,
          .counted = std::max(kSamples, 2 * in_flight)};
}

/// The device's side: keeps so many accesses under way, a word a cycle each way, and interrupts the host at the end.
class Requester : public fabric::LinkUser {
 public:
  Out<DeviceMessage> interrupt{"interrupt"};

  Requester(const AccessPlan& plan, std::uint64_t base) : plan_(plan), base_(base) {}

  void step() {
    const bool received = receive();
    const bool sent = plan_.kind == HostAccess::Kind::read ? ask() : write();
    const bool read_back = confirm();
    if (!sent && !read_back && !received) timer_.wait(reads, writes, write_data, written, data);
  }
  bool done() const { return ended_ == plan_.count(); }
  /// One begins when the one `in_flight` before it has ended.
  Time mean() const { return Time::fs((end_ - start_).femtoseconds() * plan_.in_flight / plan_.counted); }

 private:
  bool may_begin() const { return begun_ < plan_.count() && begun_ - ended_ < plan_.in_flight; }

  bool ask() {
    if (!may_begin() || !reads.room()) return false;
    reads.push({.num = static_cast<std::uint8_t>(plan_.words), .addr = base_ + plan_.offset(begun_++)});
    return true;
  }

  /// The next word of a write, with the address before the first.
  bool write() {
    if (words_left_ == 0) {
      if (!may_begin() || !writes.room() || !write_data.room()) return false;
      writes.push({.num = static_cast<std::uint8_t>(plan_.words), .addr = base_ + plan_.offset(begun_++)});
      words_left_ = plan_.words;
    }
    if (!write_data.room()) return false;
    write_data.push({});
    --words_left_;
    return true;
  }

  /// Asks for the last word of a write that is on its way.
  bool confirm() {
    if (!written.pull()) return false;
    const std::uint64_t last = static_cast<std::uint64_t>((plan_.words - 1) * kWordBytes);
    reads.push({.num = 1, .addr = base_ + plan_.offset(confirmed_++) + last});
    return true;
  }

  bool receive() {
    PcieReadResp word;
    if (!data.pull(word)) return false;
    if (plan_.kind == HostAccess::Kind::read && ++words_come_ < plan_.words) return true;
    words_come_ = 0;
    ++ended_;
    if (ended_ == plan_.in_flight) start_ = timer_.now();
    if (ended_ == plan_.in_flight + plan_.counted) end_ = timer_.now();
    if (ended_ == plan_.count())
      interrupt.push({.kind = DeviceMessage::Kind::interrupt, .bytes = 4, .tag = 0, .data = {}});
    return true;
  }

  Timer timer_;
  AccessPlan plan_;
  std::uint64_t base_;
  int begun_ = 0;
  int confirmed_ = 0;  ///< writes of which a word is being read back
  int ended_ = 0;
  std::int64_t words_left_ = 0;  ///< of the write under way
  std::int64_t words_come_ = 0;  ///< of the read whose turn it is
  Time start_;
  Time end_;
};

}  // namespace

HostAccessLatency access_host_memory(const MachineSpec& spec, const HostAccess& access, const RunOrder& order) {
  const fabric::PcieLinkSpec& pcie = spec.board.links.front().pcie;
  const AccessPlan plan = plan_of(access, pcie);
  Graph graph(order.seed);
  const ActorOptions block{.clock = pcie.user_clock};
  fabric::DeviceMemory memory = platform::device_memory(spec.board);
  platform::Board board(graph, spec.board, memory);
  fabric::PcieLink& link = board.links().front();
  const auto region = link.memory.allocate({plan.region()});
  auto& requester = graph.add<Requester>("requester", block, plan, region.addr);
  auto& host = graph.add<fabric::WaitingHost>("host");
  auto& registers = graph.add<fabric::NoRegisters>("no registers", block);
  const auto words = static_cast<int>(plan.words) * plan.in_flight + 1;
  fabric::connect(graph, requester, link, {.requests = plan.in_flight + 1, .words = words});
  graph.connect(host.mmio, link.mmio, out_of_core(1));
  graph.connect(link.host_messages, host.messages, into_core(link, 1));
  graph.connect(link.device_mmio, registers.in);
  graph.connect(requester.interrupt, link.device_messages);
  const RunReport report = graph.run({.throw_on_error = false, .schedule_seed = order.schedule_seed});
  if (report.outcome != Outcome::finished) throw Error(fmt::format("model of host memory: {}", report.message));
  return {.in_flight = plan.in_flight, .each = requester.mean()};
}

}  // namespace isthmus::offload::model
