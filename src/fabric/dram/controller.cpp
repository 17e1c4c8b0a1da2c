#include <fmt/format.h>

#include "fabric/dram/channel.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

Time cycles_of(std::int64_t cycles, Frequency clock) {
  return Time::seconds(static_cast<double>(cycles) / clock.hertz());
}

/// What idle_latency leaves once the DRAM's own timings are taken off: the controller's pipeline, there and back.
Time pipeline(const DramSpec& spec) {
  const dram::Timing timing(spec);
  const Time own = cycles_of(timing.RCD + timing.CL + timing.data, spec.clock);
  if (spec.idle_latency <= own)
    throw Error(fmt::format("DRAM idle_latency: expected more than tRCD + CL + BL/2, which is {}, got {}",
                            to_string(own), to_string(spec.idle_latency)));
  return spec.idle_latency - own;
}

Time half(Time time) {
  return Time::fs((time.femtoseconds() + 1) / 2);
}

}  // namespace

DramController::DramController(const DramSpec& spec, DramCells& cells, const DramMasters& masters,
                               DramObserver* observer)
    : reads(masters.read),
      data(masters.read),
      writes(masters.write),
      written(masters.write),
      cells_(cells),
      channel_(std::make_unique<dram::Channel>(spec, observer)),
      waiting_reads_(kWaitingReads, spec.queue_depth),
      waiting_writes_(kWaitingWrites, spec.queue_depth) {}

DramController::~DramController() = default;

void DramController::step() {
  if (channel_->first() == dram::Direction::read)
    read_burst() || write_burst();
  else
    write_burst() || read_burst();
}

bool DramController::read_burst() {
  const auto master = read_turn_.next(reads);
  if (!master) return false;
  const Time came = reads[*master].front_time();
  const AxiRead request = reads[*master].read();
  timer_.wait_until(channel_->serve(
      {.direction = dram::Direction::read, .address = request.address, .bytes = request.bytes, .came = came},
      timer_.now(), waiting_reads_));
  AxiBurst& burst = data[*master].slot();
  burst.bytes = request.bytes;
  cells_.read(request.address, std::span(burst.data).first(request.bytes));
  return true;
}

bool DramController::write_burst() {
  const auto master = write_turn_.next(writes);
  if (!master) return false;
  const Time came = writes[*master].front_time();
  const AxiWrite& request = writes[*master].read_in_place();
  const std::uint32_t bytes = request.burst.bytes;
  cells_.write(request.address, std::span(request.burst.data).first(bytes));
  timer_.wait_until(
      channel_->serve({.direction = dram::Direction::write, .address = request.address, .bytes = bytes, .came = came},
                      timer_.now(), waiting_writes_));
  written[*master].push({});
  return true;
}

Time DramController::request_latency(const DramSpec& spec) {
  return half(pipeline(spec));
}

Time DramController::read_latency(const DramSpec& spec) {
  return half(pipeline(spec)) + cycles_of(spec.CL + spec.burst_length / 2, spec.clock);
}

Time DramController::write_latency(const DramSpec& spec) {
  return half(pipeline(spec)) + cycles_of(spec.CWL + spec.burst_length / 2, spec.clock);
}

}  // namespace isthmus::fabric
