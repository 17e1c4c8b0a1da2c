#include "probes/line_mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::probes {

using fabric::LineAccess;
using fabric::LineResult;

void fill_line(std::uint64_t place, std::uint64_t writer, std::span<std::byte> line) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= line.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = (place + at) * 0x9e3779b97f4a7c15U + writer;
    std::memcpy(line.data() + at, &word, sizeof(word));
  }
}

LineMover::LineMover(LineWay way, std::vector<LinePass> passes)
    : requests(way.ports, "requests"),
      results(way.ports, "results"),
      way_(std::move(way)),
      line_(static_cast<std::uint64_t>(way_.line)),
      passes_(std::move(passes)),
      sent_(requests.size()),
      received_(requests.size()),
      slots_(static_cast<std::size_t>(way_.at_once)),
      free_(slots_.size()),
      times_(passes_.size()),
      requests_over_(static_cast<std::size_t>(way_.channels)) {
  std::uint64_t copied = 0;
  for (const LinePass& pass : passes_) copied = std::max(copied, pass.copied ? pass.lines : 0);
  found_.resize(copied * line_);
}

void LineMover::step() {
  if (!started_) start();
  bool moved = false;
  for (std::size_t port = first_port(); port < first_port() + ports(); ++port) {
    moved |= take(port);
    moved |= send(port);
  }
  if (finished_ == passes_[pass_].lines) return finish();
  if (!moved) timer_.wait(requests, results);
}

void LineMover::start() {
  if (passes_[pass_].awaited) begin.read();
  started_ = true;
  finished_ = 0;
  each_.clear();
  requests_over_.assign(requests_over_.size(), 0);
  for (std::size_t port = 0; port < requests.size(); ++port) sent_[port] = received_[port] = 0;
}

std::size_t LineMover::first_port() const {
  return way_.split && passes_[pass_].kind == LineAccess::Kind::write ? 1 : 0;
}

void LineMover::finish() {
  if (passes_[pass_].fenced) fence();
  if (passes_[pass_].told) end.push(1);
  started_ = false;
  ++pass_;
}

/// Waits until what was written is at the home.
void LineMover::fence() {
  fabric::begin_access(requests[first_port()], LineAccess::Kind::fence, 0, 0, 0).channel = passes_[pass_].channel;
  results[first_port()].read_in_place();
}

bool LineMover::take(std::size_t port) {
  if (sent_[port] == received_[port]) return false;
  const LineResult* result = results[port].pull_in_place();
  if (result == nullptr) return false;
  const Slot& slot = slots_.at(result->tag);
  const std::uint64_t next = port - first_port() + received_[port]++ * ports();
  if (way_.in_order && slot.number != next)
    throw Error(fmt::format("{}: expected the result of line {}, got that of {}", way_.name, next, slot.number));
  free_.give(result->tag);
  if (result->kind != LineAccess::Kind::write) {
    if (!is_expected(*result, slot.number)) {
      if (!passes_[pass_].until)
        throw Error(fmt::format("{}: line {} of {} came back changed", way_.name, slot.number, passes_[pass_].lines));
      --sent_[port];
      --received_[port];
      return true;
    }
    keep(*result, slot.number);
  }
  times_[pass_].last = timer_.now();
  if (way_.each_told) each_.push_back({slot.begin, timer_.now()});
  if (slot.more == 0) ++requests_over_[way_.channels > 1 ? result->channel : 0];
  ++finished_;
  return true;
}

void LineMover::fill(std::uint64_t number, std::span<std::byte> line) const {
  fill_line(number * line_, passes_[pass_].writer, line);
}

bool LineMover::is_expected(const LineResult& result, std::uint64_t number) const {
  std::array<std::byte, fabric::kMostLine> expected{};
  fill(number, std::span(expected).first(line_));
  return std::memcmp(expected.data(), result.data.data(), line_) == 0;
}

void LineMover::keep(const LineResult& result, std::uint64_t number) {
  if (passes_[pass_].until || (number + 1) * line_ > found_.size()) return;
  std::memcpy(found_.data() + number * line_, result.data.data(), line_);
}

bool LineMover::send(std::size_t port) {
  const std::uint64_t number = port - first_port() + sent_[port] * ports();
  if (number >= passes_[pass_].lines || !free_.any() || !requests[port].room()) return false;
  send_line(port, number);
  ++sent_[port];
  return true;
}

void LineMover::send_line(std::size_t port, std::uint64_t number) {
  const LinePass& pass = passes_[pass_];
  const auto burst = static_cast<std::uint64_t>(way_.burst);
  const std::uint16_t place = free_.take();
  slots_[place] = {.number = number,
                   .begin = timer_.now(),
                   .more = static_cast<std::uint8_t>(std::min(burst - 1 - number % burst, pass.lines - 1 - number))};
  if (number == 0) times_[pass_].first = timer_.now();
  LineAccess& access = requests[port].slot();
  access.kind = pass.kind;
  access.bytes = static_cast<std::uint8_t>(line_);
  access.tag = place;
  access.channel = pass.channel;
  access.more = slots_[place].more;
  const std::uint64_t address = address_of(number);
  access.addr = way_.space != nullptr ? way_.space->physical(address) : address;
  if (pass.kind != LineAccess::Kind::write) return;
  const auto line = std::span(access.data).first(line_);
  if (pass.copied)
    std::memcpy(line.data(), found_.data() + number * line_, line_);
  else
    fill(number, line);
}

Movers add_movers(SharedRun& run, const LineMoves& core, const LineMoves& circuit) {
  auto& by_core = run.add_host_part<LineMover>("core", core.way, core.passes);
  auto& by_circuit = run.add_circuit<LineMover>("circuit", circuit.way, circuit.passes);
  run.board.attach_core(by_core.requests[0], by_core.results[0]);
  run.graph.connect(by_core.end, by_circuit.begin);
  run.graph.connect(by_circuit.end, by_core.begin);
  return {by_core, by_circuit};
}

}  // namespace isthmus::probes
