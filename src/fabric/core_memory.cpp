#include "isthmus/fabric/core_memory.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::fabric {
namespace {

/// The most bytes that a load of non-cacheable memory brings: a register, or two of half the width.
constexpr std::size_t kUncachedLoad = 16;

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

}  // namespace

CoreMemory::CoreMemory(const CoreMemorySpec& spec)
    : spec_(spec),
      line_(static_cast<std::uint64_t>(spec.line)),
      stores_(static_cast<std::size_t>(spec.stores)),
      uncached_stores_(static_cast<std::size_t>(spec.uncached_stores)),
      stream_(spec.write_stream),
      held_(spec.prefetch ? spec.prefetch->streams * (1 + spec.prefetch->lines) : 1),
      streams_(spec.prefetch ? spec.prefetch->streams : 0) {}

void CoreMemory::load(MemoryType type, std::uint64_t address, std::span<std::byte> to) {
  if (gathered_.bytes > 0 && line_of(gathered_.address) == line_of(address)) send_stores();
  type == MemoryType::cacheable ? load_cached(address, to) : load_uncached(address, to);
}

void CoreMemory::load_cached(std::uint64_t address, std::span<std::byte> to) {
  const std::uint64_t line = line_of(address);
  Held& held = hold(line);
  if (line != last_) read_ahead(line);
  while (held.awaited) take_result();
  std::memcpy(to.data(), held.data.data() + address % line_, to.size());
}

void CoreMemory::read_ahead(std::uint64_t line) {
  last_ = line;
  if (!spec_.prefetch || follow(line).run < spec_.prefetch->trigger) return;
  const std::uint64_t end_of_page = (line * line_ / kPageBytes + 1) * kPageBytes / line_;
  const std::uint64_t end = std::min(line + 1 + spec_.prefetch->lines, end_of_page);
  for (std::uint64_t ahead = line + 1; ahead < end; ++ahead) hold(ahead);
}

/// The sequence that the line continues, or a new one in place of the sequence that was used longest ago.
CoreMemory::Stream& CoreMemory::follow(std::uint64_t line) {
  const auto goes_on = [line](const Stream& stream) { return stream.last == line || stream.last + 1 == line; };
  auto found = std::ranges::find_if(streams_, goes_on);
  if (found == streams_.end()) {
    found = std::ranges::min_element(streams_, {}, &Stream::used);
    found->run = 0;
  }
  if (found->last != line || found->run == 0) ++found->run;
  found->last = line;
  found->used = ++uses_;
  return *found;
}

CoreMemory::Held& CoreMemory::hold(std::uint64_t line) {
  Held* held = find(line);
  if (held == nullptr) held = &ask(line);
  held->used = ++uses_;
  return *held;
}

CoreMemory::Held* CoreMemory::find(std::uint64_t line) {
  const auto found = std::ranges::find(held_, line, &Held::line);
  return found == held_.end() ? nullptr : &*found;
}

/// Asks for a line, which takes the place of the one that was used longest ago.
CoreMemory::Held& CoreMemory::ask(std::uint64_t line) {
  Held& held = *std::ranges::min_element(held_, {}, &Held::used);
  while (held.awaited) take_result();
  held.line = line;
  held.awaited = true;
  access(LineAccess::Kind::read, line * line_, line_, static_cast<std::uint16_t>(&held - held_.data()));
  return held;
}

/// Sends an access to the cache, which only waits for its results to be taken.
LineAccess& CoreMemory::access(LineAccess::Kind kind, std::uint64_t address, std::uint64_t bytes, std::uint16_t tag) {
  while (!accesses.room()) take_result();
  return begin_access(accesses, kind, address, bytes, tag);
}

void CoreMemory::forget(std::uint64_t line) {
  Held* held = find(line);
  if (held == nullptr) return;
  while (held->awaited) take_result();
  *held = {};
}

void CoreMemory::forget() {
  for (const Held& held : held_)
    if (held.line != kNoLine) forget(held.line);
}

void CoreMemory::take_result() {
  const LineResult& result = results.read_in_place();
  if (result.kind != LineAccess::Kind::read) {
    --storing_;
    return;
  }
  Held& held = held_[result.tag];
  held.awaited = false;
  copy_bytes(result.data.data(), held.data.data(), line_);
}

/// Non-cacheable memory serves reads and writes each in their order.
void CoreMemory::load_uncached(std::uint64_t address, std::span<std::byte> to) {
  while (std::ranges::find(writing_, line_of(address)) != writing_.end()) take_written();
  for (std::size_t at = 0; at < to.size(); at += kUncachedLoad) {
    const auto part = to.subspan(at, std::min(kUncachedLoad, to.size() - at));
    reads.push({address + at, static_cast<std::uint32_t>(part.size())});
    std::memcpy(part.data(), data.read_in_place().data.data(), part.size());
  }
}

void CoreMemory::store(MemoryType type, std::uint64_t address, std::span<const std::byte> from) {
  const bool goes_on = type == gathered_.type && address == gathered_.address + gathered_.bytes;
  if (gathered_.bytes > 0 && !goes_on) send_stores();
  if (gathered_.bytes == 0) gathered_.address = address;
  gathered_.type = type;
  std::memcpy(gathered_.data.data() + gathered_.bytes, from.data(), from.size());
  gathered_.bytes += from.size();
  if ((address + from.size()) % line_ == 0) send_stores();
}

void CoreMemory::flush(std::uint64_t address) {
  const std::uint64_t line = line_of(address);
  if (gathered_.bytes > 0 && line_of(gathered_.address) == line) send_stores();
  forget(line);
  while (storing_ == stores_) take_result();
  access(LineAccess::Kind::flush, line * line_, line_, 0);
  ++storing_;
}

void CoreMemory::barrier() {
  settle();
  access(LineAccess::Kind::fence, 0, line_, 0);
  ++storing_;
  settle();
}

void CoreMemory::settle() {
  send_stores();
  while (storing_ > 0 || std::ranges::any_of(held_, &Held::awaited)) take_result();
  while (!writing_.empty()) take_written();
}

void CoreMemory::send_stores() {
  if (gathered_.bytes == 0) return;
  gathered_.type == MemoryType::cacheable ? send_cached() : send_uncached();
  gathered_.bytes = 0;
}

void CoreMemory::send_cached() {
  const std::uint64_t line = line_of(gathered_.address);
  forget(line);
  while (storing_ == stores_) take_result();
  const bool kept = gathered_.bytes < line_ || stream_.keeps(line);
  const auto kind = kept ? LineAccess::Kind::write : LineAccess::Kind::write_once;
  copy_bytes(gathered_.data.data(), access(kind, gathered_.address, gathered_.bytes, 0).data.data(), gathered_.bytes);
  ++storing_;
}

void CoreMemory::send_uncached() {
  while (writing_.size() == uncached_stores_) take_written();
  AxiWrite& write = writes.slot();
  write.address = gathered_.address;
  write.burst.bytes = static_cast<std::uint32_t>(gathered_.bytes);
  copy_bytes(gathered_.data.data(), write.burst.data.data(), gathered_.bytes);
  writing_.push_back(line_of(gathered_.address));
}

void CoreMemory::take_written() {
  written.read();
  writing_.pop_front();
}

}  // namespace isthmus::fabric
