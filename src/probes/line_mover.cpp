#include "probes/line_mover.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::probes {

using fabric::LineAccess;
using fabric::LineResult;

void fill_line(std::uint64_t address, std::uint64_t writer, std::span<std::byte> line) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= line.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = (address + at) * 0x9e3779b97f4a7c15U + writer;
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
      times_(passes_.size()) {}

void LineMover::step() {
  if (!started_) start();
  bool moved = false;
  for (std::size_t port = 0; port < requests.size(); ++port) {
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
  for (std::size_t port = 0; port < requests.size(); ++port) sent_[port] = received_[port] = 0;
}

void LineMover::finish() {
  if (passes_[pass_].told) end.push(1);
  started_ = false;
  ++pass_;
}

bool LineMover::take(std::size_t port) {
  if (sent_[port] == received_[port]) return false;
  const LineResult* result = results[port].pull_in_place();
  if (result == nullptr) return false;
  const Slot& slot = slots_.at(result->tag);
  const std::uint64_t next = port + received_[port]++ * requests.size();
  if (way_.in_order && slot.number != next)
    throw Error(fmt::format("{}: expected the result of line {}, got that of {}", way_.name, next, slot.number));
  if (result->kind != LineAccess::Kind::write) check(*result, slot.number);
  times_[pass_].last = timer_.now();
  if (way_.each_told) each_.push_back({slot.begin, timer_.now()});
  free_.give(result->tag);
  ++finished_;
  return true;
}

void LineMover::check(const LineResult& result, std::uint64_t number) const {
  std::array<std::byte, fabric::kMostLine> expected{};
  fill_line(address_of(number), passes_[pass_].writer, std::span(expected).first(line_));
  if (std::memcmp(expected.data(), result.data.data(), line_) != 0)
    throw Error(fmt::format("{}: line {} of {} came back changed", way_.name, number, passes_[pass_].lines));
}

bool LineMover::send(std::size_t port) {
  const LinePass& pass = passes_[pass_];
  const std::uint64_t number = port + sent_[port] * requests.size();
  if (number >= pass.lines || !free_.any() || !requests[port].room()) return false;
  const std::uint16_t place = free_.take();
  slots_[place] = {.number = number, .begin = timer_.now()};
  if (number == 0) times_[pass_].first = timer_.now();
  LineAccess& access = requests[port].slot();
  access.kind = pass.kind;
  access.bytes = static_cast<std::uint8_t>(line_);
  access.tag = place;
  const std::uint64_t address = address_of(number);
  access.addr = way_.space != nullptr ? way_.space->physical(address) : address;
  if (pass.kind == LineAccess::Kind::write) fill_line(address, pass.writer, std::span(access.data).first(line_));
  ++sent_[port];
  return true;
}

}  // namespace isthmus::probes
