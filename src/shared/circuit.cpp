#include "isthmus/shared/circuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

using fabric::LineAccess;
using fabric::LineResult;

constexpr std::uint16_t kFenceTag = 0;

}  // namespace

CircuitSide::CircuitSide(const CircuitSpec& spec)
    : reads(spec.ports, "reads"),
      read_results(spec.ports, "read_results"),
      writes(spec.ports, "writes"),
      write_results(spec.ports, "write_results"),
      hints(spec.messages > 0 ? 1 : 0, "hints"),
      spec_(spec),
      line_(spec.memory.line()),
      reads_under_way_(reads.size()),
      to_ask_((1U << static_cast<unsigned>(spec.messages)) - 1) {}

bool CircuitSide::may_read(std::size_t port) {
  return !(port == 0 && own_asked_) && reads[port].room();
}

bool CircuitSide::may_write(std::size_t port) {
  return !status_due_ && writes[port].room();
}

void CircuitSide::require_own(std::uint16_t tag) {
  if (tag >= kOwnTags) throw Error(fmt::format("circuit: tag {}: expected one below {}", tag, kOwnTags));
}

LineAccess& CircuitSide::ask(PortArray<Out<LineAccess>>& to, LineAccess::Kind kind, std::uint64_t address,
                             std::size_t bytes, const AccessOptions& options) {
  const bool write = kind == LineAccess::Kind::write;
  place_among(static_cast<int>(ports()), "port of memory", static_cast<int>(options.port));
  if (address % line_ + bytes > line_)
    throw Error(fmt::format("circuit: {} of {} B at {:#x}: expected bytes of one line of {} B (cache.line)",
                            write ? "write" : "read", bytes, address, line_));
  if (!write) ++reads_under_way_[options.port];
  note(true);
  LineAccess& access = fabric::begin_access(to[options.port], kind, address, bytes, options.tag);
  if (!options.coherent) access.channel = spec_.channel;
  return access;
}

const LineResult* CircuitSide::take_result(std::size_t port) {
  if (reads_under_way_[port] == 0 || (port == 0 && own_taken_)) return nullptr;
  const LineResult* result = read_results[port].front();
  if (result == nullptr || result->tag >= kOwnTags) return nullptr;
  --reads_under_way_[port];
  note(true);
  return read_results[port].pull_in_place();
}

std::optional<CircuitSide::Message> CircuitSide::message() {
  for (std::size_t line = 0; line < arrived_.size(); ++line) {
    std::optional<std::uint64_t>& arrived = arrived_[line];
    if (!arrived) continue;
    note(true);
    const Message message{.line = static_cast<int>(line), .value = *arrived};
    arrived.reset();
    return message;
  }
  return {};
}

void CircuitSide::hear() {
  moved_ = own_asked_ = own_taken_ = false;
  written_.reset();
  if (works()) hear_core();
  hear_writes();
  if (spec_.messages > 0) {
    if (const std::uint16_t* line = hints[0].pull_in_place(); line != nullptr) {
      to_ask_ |= 1U << *line;
      note(true);
    }
    take_message();
    if (works()) ask_for_message();
  }
  if (!works()) drop_reads();
}

void CircuitSide::hear_core() {
  const RegisterAccess* access = registers.pull_in_place();
  if (access == nullptr) {
    leaving_ = registers.closed();
    note(leaving_);
    return;
  }
  note(true);
  switch (access->kind) {
    case RegisterAccess::Kind::write:
      values_[access->number] = access->value;
      written_ = RegisterWrite{.number = access->number, .value = access->value};
      break;
    case RegisterAccess::Kind::read:
      answers.push({.value = values_[access->number]});
      break;
    case RegisterAccess::Kind::reset:
      resetting_ = true;
      break;
  }
}

void CircuitSide::hear_writes() {
  if (writes_under_way_ == 0) return;
  for (auto& port : write_results) {
    if (port.pull_in_place() == nullptr) continue;
    --writes_under_way_;
    note(true);
  }
}

/// A line is read again when it has been given up for another, too: its message is known then.
void CircuitSide::take_message() {
  if (reads_under_way_[0] == 0) return;
  const LineResult* result = read_results[0].front();
  if (result == nullptr || result->tag < kOwnTags) return;
  const auto line = static_cast<std::size_t>(result->tag - kOwnTags);
  MessageWords words{};
  std::memcpy(&words, result->data.data(), sizeof(words));
  read_results[0].pull_in_place();
  --reads_under_way_[0];
  own_taken_ = true;
  note(true);
  if (std::exchange(last_[line], words.number) != words.number) arrived_[line] = words.value;
}

void CircuitSide::ask_for_message() {
  if (to_ask_ == 0 || !reads[0].room()) return;
  const int line = std::countr_zero(to_ask_);
  to_ask_ &= to_ask_ - 1;
  ask(reads, LineAccess::Kind::read, spec_.memory.message(line).value, sizeof(MessageWords),
      {.tag = static_cast<std::uint16_t>(kOwnTags + line), .coherent = true});
  own_asked_ = true;
}

void CircuitSide::drop_reads() {
  for (std::size_t port = 0; port < read_results.size(); ++port) {
    if (reads_under_way_[port] == 0 || (port == 0 && own_taken_)) continue;
    if (read_results[port].pull_in_place() == nullptr) continue;
    --reads_under_way_[port];
    note(true);
  }
}

bool CircuitSide::drained() const {
  return writes_under_way_ == 0 && std::ranges::all_of(reads_under_way_, [](int count) { return count == 0; });
}

void CircuitSide::restart() {
  note(true);
  if (leaving_) {
    over_ = true;
    return;
  }
  values_.fill(0);
  status_due_.reset();
  fenced_ = false;
  to_ask_ = (1U << static_cast<unsigned>(spec_.messages)) - 1;
  resetting_ = false;
  answers.push({.value = 0});
}

void CircuitSide::settle() {
  if (works() && status_due_ && writes_under_way_ == 0 && send_status(*status_due_)) note(true);
  if (!moved_) timer_.wait(reads, read_results, writes, write_results, registers, hints);
}

/// What the coherent channel has answered is at the home; over others a fence says so.
bool CircuitSide::send_status(std::uint64_t status) {
  if (!writes[0].room()) return false;
  LineAccess& access = ask(writes, LineAccess::Kind::write, spec_.memory.status().value, line_, {.tag = kFenceTag});
  ++writes_under_way_;
  if (spec_.channel != platform::kCoherentWay && !fenced_) {
    access.kind = LineAccess::Kind::fence;
    access.bytes = 0;
    fenced_ = true;
    return true;
  }
  access.data = {};
  std::memcpy(access.data.data(), &status, sizeof(status));
  status_due_.reset();
  fenced_ = false;
  return true;
}

}  // namespace isthmus
