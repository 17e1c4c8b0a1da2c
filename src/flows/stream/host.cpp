#include "flows/stream/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flows/stream/configurer.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {

void Producer::step() {
  if (!batch_.begin(next())) return;
  const int message = batch_.message(next());
  timer_.works_on(message);
  if (next() == 0) started_ = timer_.now();
  Buffer buffer = acquire();
  acquired_.push_back(timer_.now());
  if (const Time work = batch_.application.extras.host_work; work > Time()) timer_.wait(work);
  const std::size_t size = batch_.application.input;
  if (buffer.span().size() < size) {
    send_in_pieces(message, std::move(buffer));
  } else {
    batch_.application.fill(message, buffer.span().first(size));
    buffer.shrink(size);
    link.commit(std::move(buffer));
  }
  if (committed_.size() < kMessagesTold) committed_.push_back(timer_.now());
}

Buffer Producer::acquire() {
  Buffer buffer = link.acquire();
  stalls_.maybe(timer_);
  return buffer;
}

void Producer::send_in_pieces(int message, Buffer buffer) {
  message_.resize(batch_.application.input);
  batch_.application.fill(message, message_);
  for (std::span<const std::byte> rest = message_;;) {
    const auto bytes = std::min(rest.size(), buffer.span().size());
    buffer.shrink(bytes);
    std::ranges::copy(rest.first(bytes), buffer.span().begin());
    rest = rest.subspan(bytes);
    if (!rest.empty()) buffer.continues();
    link.commit(std::move(buffer));
    if (rest.empty()) return;
    buffer = acquire();
  }
}

void ConfiguringProducer::step() {
  if (next() == 0) configure(control, batch().application.extras.control);
  Producer::step();
}

void CopiedOut::take(int message, std::size_t offset, Buffer buffer) {
  const auto to = exchange_.output(message).subspan(offset);
  const auto end = std::ranges::copy(buffer.span(), to.begin()).out;
  if (application_.extras.output_bytes) std::fill(end, to.end(), std::byte{});
}

void Consumer::step() {
  stop_if_interrupted();
  die_after(batch_.faults, batch_.first + next());
  const std::size_t size = batch_.application.output;
  Time now;
  for (std::size_t got = 0; got < size;) {
    Buffer buffer = link.receive();
    now = timer_.now();
    stalls_.maybe(timer_);
    const std::size_t bytes = buffer.span().size();
    require(got, bytes);
    outputs_.take(batch_.message(next()), got, std::move(buffer));
    got = batch_.application.extras.output_bytes ? size : got + bytes;
  }
  const int message = batch_.message(next());
  received_.push_back(now);
  outputs_.finished(message);
}

void Consumer::require(std::size_t got, std::size_t bytes) const {
  const ByteApplication& application = batch_.application;
  const std::size_t size = application.output;
  const bool shorter = application.extras.output_bytes != nullptr;
  if (shorter ? bytes <= size : bytes == std::min(size - got, buffer_)) return;
  throw Error(fmt::format("message {} of '{}': expected {}{} bytes of output, got {}; `last` closes a message",
                          batch_.message(next()), application.name, shorter ? "at most " : "", size, got + bytes));
}

void Consumer::require_all(const std::string& why) const {
  if (done()) return;
  throw Error(fmt::format("message {} has not come back from the kernel: {}; `last` closes a message",
                          batch_.message(next()), why));
}

namespace {

/// Of the i-th message of a pair of threads, all from `start` on.
std::vector<Step> steps_of(const Seen& seen, std::size_t i, Time start) {
  const Time begun = seen.sent.begun[i] - start;
  const Time received = seen.received[i] - start;
  if (seen.sent.committed.empty()) return {{.name = "read to receive", .begin = begun, .end = received}};
  const Time committed = seen.sent.committed[i] - start;
  return {{.name = "acquire to commit", .begin = begun, .end = committed},
          {.name = "commit to receive", .begin = committed, .end = received}};
}

}  // namespace

Time started(std::span<const Seen> pairs) {
  return std::ranges::min(pairs, {}, [](const Seen& each) { return each.sent.started; }).sent.started;
}

FlowTimes times_of(std::span<const Seen> pairs) {
  const Time start = started(pairs);
  std::size_t messages = 0;
  for (const Seen& seen : pairs) messages += seen.received.size();
  FlowTimes times;
  times.latencies.resize(messages);
  times.first.resize(std::min<std::size_t>(messages, kMessagesTold));
  for (const Seen& seen : pairs)
    for (std::size_t i = 0; i < seen.received.size(); ++i) {
      const auto number = seen.numbers.empty() ? i : static_cast<std::size_t>(seen.numbers[i]);
      times.elapsed = std::max(times.elapsed, seen.received[i] - start);
      times.latencies[number] = seen.received[i] - seen.sent.begun[i];
      if (number < kMessagesTold) times.first[number] = steps_of(seen, i, start);
    }
  return times;
}

}  // namespace isthmus::program
