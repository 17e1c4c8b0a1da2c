#include <fmt/format.h>

#include <optional>

#include "fabric/dram/channel.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

struct Head {
  std::size_t client;
  Time came;
  int key;
  bool before(const Head& other) const { return came != other.came ? came < other.came : key < other.key; }
};

/// The request that came first, ties going to the lower client key.
template <class T, std::size_t N>
std::optional<Head> oldest(std::array<In<T>, N>& ports) {
  std::optional<Head> best;
  for (std::size_t client = 0; client < N; ++client) {
    if (ports[client].front() == nullptr) continue;
    const Head head{client, ports[client].front_time(), ports[client].client_key()};
    if (!best || head.before(*best)) best = head;
  }
  return best;
}

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

DramController::DramController(const DramSpec& spec, DramCells& cells, DramObserver* observer)
    : cells_(cells),
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
  const auto head = oldest(reads);
  if (!head) return false;
  const AxiRead request = reads[head->client].read();
  timer_.wait_until(channel_->serve(
      {.direction = dram::Direction::read, .address = request.address, .bytes = request.bytes, .came = head->came},
      timer_.now(), waiting_reads_));
  AxiBurst& burst = data[head->client].slot();
  burst.bytes = request.bytes;
  cells_.read(request.address, std::span(burst.data).first(request.bytes));
  return true;
}

bool DramController::write_burst() {
  const auto head = oldest(writes);
  if (!head) return false;
  const AxiWrite& request = writes[head->client].read_in_place();
  const std::uint32_t bytes = request.burst.bytes;
  cells_.write(request.address, std::span(request.burst.data).first(bytes));
  timer_.wait_until(channel_->serve(
      {.direction = dram::Direction::write, .address = request.address, .bytes = bytes, .came = head->came},
      timer_.now(), waiting_writes_));
  written[head->client].push({});
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
