#include "isthmus/shared/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

}  // namespace

Core::Core(const CoreSpec& spec, Program program)
    : spec_(spec), program_(std::move(program)), free_(under_way_.size()) {}

void Core::step() {
  program_(*this);
  fence();
  over_ = true;
}

void Core::ask(LineAccess::Kind kind, std::uint64_t address, std::size_t bytes, std::byte* to, const std::byte* from) {
  while (!free_.any()) take();
  const std::uint16_t place = free_.take();
  under_way_[place].to = to;
  if (to != nullptr) ++loads_;
  ++all_;
  LineAccess& access = fabric::begin_access(accesses, kind, spec_.memory.space().physical(address), bytes, place);
  if (from != nullptr) std::memcpy(access.data.data(), from, bytes);
}

void Core::take() {
  const LineResult& result = results.read_in_place();
  UnderWay& one = under_way_[result.tag];
  if (one.to != nullptr) {
    std::memcpy(one.to, result.data.data(), result.bytes);
    --loads_;
  }
  --all_;
  free_.give(result.tag);
}

void Core::load(std::uint64_t from, std::span<std::byte> bytes) {
  const std::uint64_t line = spec_.memory.line();
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece = std::min<std::size_t>(bytes.size() - at, line - (from + at) % line);
    ask(LineAccess::Kind::read, from + at, piece, bytes.data() + at, nullptr);
    at += piece;
  }
  while (loads_ > 0) take();
}

void Core::store(std::uint64_t to, std::span<const std::byte> bytes) {
  const std::uint64_t line = spec_.memory.line();
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t piece = std::min<std::size_t>(bytes.size() - at, line - (to + at) % line);
    ask(LineAccess::Kind::write, to + at, piece, nullptr, bytes.data() + at);
    at += piece;
  }
}

void Core::fence() {
  while (all_ > 0) take();
}

void Core::write_register(int number, std::uint64_t value) {
  const std::uint16_t place = place_among(kRegisters, "register", number);
  fence();
  timer_.wait_until(timer_.now() + spec_.store);
  registers.push({.kind = RegisterAccess::Kind::write, .number = place, .value = value});
}

std::uint64_t Core::read_register(int number) {
  const std::uint16_t place = place_among(kRegisters, "register", number);
  fence();
  registers.push({.kind = RegisterAccess::Kind::read, .number = place, .value = 0});
  return answers.read().value;
}

void Core::reset() {
  fence();
  timer_.wait_until(timer_.now() + spec_.store);
  registers.push({.kind = RegisterAccess::Kind::reset, .number = 0, .value = 0});
  answers.read();
  store(spec_.memory.status(), {.value = 0});
  fence();
}

std::uint64_t Core::status() {
  return load(spec_.memory.status()).value;
}

std::uint64_t Core::await_status(std::uint64_t least, Time patience) {
  const Time latest = timer_.now() + patience;
  for (;;) {
    stop_if_interrupted();
    const std::uint64_t value = status();
    if (value >= least) return value;
    if (timer_.now() > latest)
      throw Error(fmt::format("status word: expected {} or more within {} of virtual time, got {}", least,
                              to_string(patience), value));
  }
}

void Core::send(int message, std::uint64_t value) {
  const std::uint16_t line = place_among(kMessages, "message", message);
  fence();
  store(spec_.memory.message(line), {.number = ++sent_[line], .value = value});
}

}  // namespace isthmus
