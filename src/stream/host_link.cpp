#include "isthmus/stream/host_link.hpp"

#include <fmt/format.h>

#include "gap.hpp"
#include "isthmus/base/error.hpp"
#include "untold.hpp"

namespace isthmus {
namespace {

constexpr int kMessages = 64;  // control messages that wait at either end

/// The way from one thread to another.
ChannelOptions between_cores(const HostLinkSpec& spec, int depth) {
  return {.depth = depth, .latency_time = spec.core_to_core, .return_latency_time = spec.core_to_core};
}

/// A channel between a core and another part of the host: a store leaves the core into the root complex, no line goes
/// elsewhere.
constexpr ChannelOptions beside_core(int depth, Time latency = kHandOver) {
  return {.depth = depth, .latency_time = latency, .return_latency_time = kHandOver};
}

void check(const HostLinkSpec& spec) {
  const std::int64_t most = 255 * kWordBytes;  // the num of a request has 8 bit (stacc table I)
  if (spec.requests.size > most || spec.requests.size % kWordBytes != 0)
    throw Error(fmt::format("stream.request_size: expected a multiple of {} B up to {} B, got {} B", kWordBytes, most,
                            spec.requests.size));
}

}  // namespace

HostLink::HostLink(Graph& graph, const PcieInterface& pcie, const HostLinkSpec& spec)
    : graph_(graph), pcie_(pcie), spec_(spec) {
  LinkUsers alone(graph, pcie, spec.device_clock);
  build(alone);
  alone.connect();
}

HostLink::HostLink(Graph& graph, const PcieInterface& pcie, const HostLinkSpec& spec, LinkUsers& users)
    : graph_(graph), pcie_(pcie), spec_(spec) {
  build(users);
}

void HostLink::build(LinkUsers& users) {
  check(spec_);
  auto inputs = make_pool(spec_.input_buffers);
  auto outputs = make_pool(spec_.output_buffers);
  std::vector<PoolEntry> entries;
  entries.reserve(outputs.size());
  for (const auto& buffer : outputs) entries.push_back({.addr = buffer.addr, .bytes = buffer.capacity});
  registers_ = &graph_.add<DeviceRegisters>("device registers", {.clock = spec_.device_clock, .group = kDeviceGroup},
                                            std::move(entries));
  graph_.connect(pcie_.device_mmio, registers_->mmio, {.depth = kMessages});
  graph_.connect(registers_->replies, pcie_.device_messages, {.depth = 4});
  add_host(std::move(inputs), std::move(outputs));
  add_reading_side(users);
  add_writing_side(users);
}

std::vector<PooledBuffer> HostLink::make_pool(int buffers) {
  std::vector<PooledBuffer> pool;
  for (int i = 0; i < buffers; ++i) {
    const auto region = pcie_.memory.allocate(spec_.buffer_size);
    const auto bytes = static_cast<std::uint32_t>(region.bytes.size());
    pool.push_back({.addr = region.addr, .capacity = bytes, .bytes = bytes, .data = region.bytes.data()});
  }
  return pool;
}

void HostLink::add_host(std::vector<PooledBuffer> inputs, std::vector<PooledBuffer> outputs) {
  porter_ = &graph_.add<Porter>(kPorter, {.group = kHostGroup}, spec_, std::move(inputs), std::move(outputs));
  actors_.porter = graph_.id(*porter_);
  switch_ = &graph_.add<MmioSwitch>("MMIO switch", {.group = kHostGroup});
  graph_.connect(porter_->requests, switch_->requests[0], beside_core(kMessages));
  graph_.connect(switch_->replies[0], porter_->replies, beside_core(4));
  graph_.connect(switch_->out, pcie_.mmio, beside_core(4));
  graph_.connect(pcie_.host_messages, switch_->messages, beside_core(4, pcie_.root_complex));
}

void HostLink::add_reading_side(LinkUsers& users) {
  const ActorOptions clocked{.clock = spec_.device_clock, .group = kDeviceGroup};
  auto& splitter = graph_.add<InputSplitter>("input splitter", clocked, spec_.requests);
  auto& helper = graph_.add<ReadHelper>(kReadRequests, clocked, spec_.requests, period_of(spec_.device_clock));
  buffer_ = &graph_.add<ReadBuffer>(kReplyBuffer, clocked, spec_.requests);
  actors_.read_requests = graph_.id(helper);
  actors_.reply_buffer = graph_.id(*buffer_);
  const auto reply_words = static_cast<int>(spec_.requests.size / kWordBytes * spec_.requests.in_flight);
  graph_.connect(registers_->available_inputs, splitter.available, {.depth = spec_.input_buffers});
  graph_.connect(splitter.requests, helper.in, {.depth = 2});
  graph_.connect(splitter.order, buffer_->order, {.depth = spec_.input_buffers + 1});
  users.add({.requests = helper.out, .data = buffer_->in, .words = reply_words});
  graph_.connect(buffer_->consumed, helper.consumed, {.depth = reply_words + 1});
  graph_.connect(buffer_->freed, registers_->freed_inputs, {.depth = spec_.input_buffers});
}

void HostLink::add_writing_side(LinkUsers& users) {
  const ActorOptions clocked{.clock = spec_.device_clock, .group = kDeviceGroup};
  writer_ = &graph_.add<WriteHelper>(kWriteRequests, clocked, spec_.requests, period_of(spec_.device_clock),
                                     spec_.output_buffers);
  actors_.write_requests = graph_.id(*writer_);
  auto& tracker = graph_.add<WriteTracker>("write tracker", clocked);
  const auto request_words = static_cast<int>(spec_.requests.size / kWordBytes);
  graph_.connect(registers_->free_outputs, writer_->free, {.depth = spec_.output_buffers});
  users.add({.requests = writer_->requests,
             .data = writer_->data,
             .written = tracker.writes_done,
             .words = 2 * request_words + 2,
             .requested = kUntoldWrites});
  graph_.connect(writer_->records, tracker.records, {.depth = kUntoldWrites});
  graph_.connect(tracker.filled, registers_->filled_outputs, {.depth = spec_.output_buffers});
}

void HostLink::connect(HostInput& producer) {
  producer.pool_.resize(spec_.input_buffers);
  graph_.connect(porter_->free, producer.free, between_cores(spec_, spec_.input_buffers));
  graph_.connect(producer.committed, porter_->committed, between_cores(spec_, spec_.input_buffers));
}

void HostLink::connect(HostOutput& consumer) {
  graph_.connect(porter_->filled, consumer.filled, between_cores(spec_, spec_.output_buffers));
  graph_.connect(consumer.released, porter_->released, between_cores(spec_, spec_.output_buffers));
}

void HostLink::connect(HostControl& control) {
  graph_.connect(control.requests, switch_->requests[1], beside_core(kMessages));
  graph_.connect(switch_->replies[1], control.replies, beside_core(4));
}

void HostLink::leave_out_input() {
  graph_.unused(porter_->free);
  graph_.unused(porter_->committed);
  graph_.unused(to_kernel());
}

void HostLink::leave_out_control() {
  graph_.unused(switch_->requests[1]);
  graph_.unused(switch_->replies[1]);
  graph_.unused(control_to_kernel());
  graph_.unused(control_from_kernel());
}

}  // namespace isthmus
