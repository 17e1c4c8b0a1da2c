#include "isthmus/stream/kernel_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gap.hpp"
#include "isthmus/base/error.hpp"
#include "untold.hpp"

namespace isthmus {
namespace {

void require_word(std::uint64_t addr) {
  if (addr % static_cast<std::uint64_t>(kWordBytes) != 0)
    throw Error(fmt::format("host address {:#x}: expected a multiple of {} B", addr, kWordBytes));
}

}  // namespace

void HostReadSplitter::step() {
  const PcieReadReq request = in.read();
  require_word(request.addr);
  std::uint64_t addr = request.addr;
  for (std::int64_t left = request.num; left > 0;) {
    const std::int64_t words = std::min(left, most_);
    const auto num = static_cast<std::uint8_t>(words);
    order.push(num);
    requests.push({.num = num, .addr = addr});
    addr += static_cast<std::uint64_t>(words * kWordBytes);
    left -= words;
  }
}

void HostReadBuffer::step() {
  if (left_ == 0) left_ = of_ = order.read();
  out.slot().data = in.read_in_place().data;
  if (--left_ == 0) consumed.push(static_cast<std::uint32_t>(of_ * kWordBytes));
}

HostWriter::HostWriter(const RequestSpec& spec, Time period)
    : most_(spec.size / kWordBytes), gap_(gap_time(spec.gap, period)) {}

void HostWriter::step() {
  if (left_ == 0) {
    const PcieWriteApply apply = in.read();
    require_word(apply.addr);
    addr_ = apply.addr;
    left_ = apply.num;
    if (left_ == 0) return;
  }
  data.slot().data = words.read_in_place().data;
  --left_;
  if (++gathered_ == most_ || left_ == 0) end_request();
}

void HostWriter::end_request() {
  const std::int64_t words_gathered = std::exchange(gathered_, 0);
  pieces.push(left_ == 0 ? 1 : 0);
  requests.push({.num = static_cast<std::uint8_t>(words_gathered), .addr = addr_});
  addr_ += static_cast<std::uint64_t>(words_gathered * kWordBytes);
  pass(timer_, gap_);
}

void HostWriteTracker::step() {
  const bool came = writes_done.pull();
  if (came) due_ += pieces.read();
  const bool tells = due_ > 0 && written.room();
  if (tells) {
    written.push({});
    --due_;
  }
  if (came || tells) return;
  finished_ = due_ == 0 && writes_done.closed();
  if (!finished_) timer_.wait(writes_done, written);
}

HostReadEnds add_host_reads(Graph& graph, const HostWay& way, LinkUsers& users) {
  const ActorOptions clocked{.clock = way.clock, .group = kDeviceGroup};
  auto& splitter = graph.add<HostReadSplitter>(way.name + "'s splitter", clocked, way.requests);
  auto& helper = graph.add<ReadHelper>(way.name + "'s requests", clocked, way.requests, period_of(way.clock));
  auto& buffer = graph.add<HostReadBuffer>(way.name + "'s reply buffer", clocked);
  const auto words = static_cast<int>(way.requests.size / kWordBytes * way.requests.in_flight);
  graph.connect(splitter.requests, helper.in, {.depth = 2});
  graph.connect(splitter.order, buffer.order, {.depth = words + 4});
  graph.connect(buffer.consumed, helper.consumed, {.depth = words + 1});
  users.add({.requests = helper.out, .data = buffer.in, .words = words});
  return {.requests = splitter.in, .words = buffer.out, .requester = graph.id(helper)};
}

HostWriteEnds add_host_writes(Graph& graph, const HostWay& way, LinkUsers& users) {
  const ActorOptions clocked{.clock = way.clock, .group = kDeviceGroup};
  auto& writer = graph.add<HostWriter>(way.name + "'s requests", clocked, way.requests, period_of(way.clock));
  auto& tracker = graph.add<HostWriteTracker>(way.name + "'s tracker", clocked);
  graph.connect(writer.pieces, tracker.pieces, {.depth = kUntoldWrites});
  users.add({.requests = writer.requests,
             .data = writer.data,
             .written = tracker.writes_done,
             .words = static_cast<int>(2 * way.requests.size / kWordBytes) + 2,
             .requested = kUntoldWrites});
  return {.requests = writer.in, .words = writer.words, .written = tracker.written, .requester = graph.id(writer)};
}

}  // namespace isthmus
