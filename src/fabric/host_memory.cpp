#include "isthmus/fabric/host_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace isthmus::fabric {
std::int64_t completion_bytes(const PcieLinkSpec& spec, std::uint64_t addr, std::int64_t remaining) {
  const std::int64_t largest = spec.max_payload.count;
  if (remaining <= largest) return remaining;
  const auto past_boundary =
      static_cast<std::int64_t>(addr % static_cast<std::uint64_t>(spec.read_completion_boundary.count));
  return largest - (past_boundary + largest) % spec.read_completion_boundary.count;
}

namespace {

struct Completions {
  int packets = 0;
  std::int64_t bytes = 0;
};

/// As many of the next completions as a token holds.
Completions completions(const PcieLinkSpec& spec, std::uint64_t addr, std::int64_t remaining) {
  Completions part;
  while (part.bytes < remaining) {
    const std::int64_t next =
        completion_bytes(spec, addr + static_cast<std::uint64_t>(part.bytes), remaining - part.bytes);
    if (part.bytes + next > kMostPayload) break;
    part.bytes += next;
    ++part.packets;
  }
  return part;
}

}  // namespace

HostMemory::HostMemory(const PcieLinkSpec& link, const HostMemorySpec& spec)
    : link_(link), byte_time_fs_(1e15 / spec.bandwidth.bytes_per_second), receipts_(link) {}

void HostMemory::step() {
  const Tlps& tlps = in.read_in_place();
  const Dllps due = receipts_.took(tlps);
  if (due.count() > 0) dllps.push(due);
  switch (tlps.kind) {
    case Tlps::Kind::read:
      return read(tlps);
    case Tlps::Kind::write:
      return tlps.addr == kInterruptAddress ? deliver(tlps, DeviceMessage::Kind::interrupt) : write(tlps);
    case Tlps::Kind::completion:
      return deliver(tlps, DeviceMessage::Kind::reply);
  }
}

void HostMemory::read(const Tlps& request) {
  occupy(request.bytes);
  std::uint64_t addr = request.addr;
  for (std::int64_t remaining = request.bytes; remaining > 0;) {
    const Completions part = completions(link_, addr, remaining);
    const std::byte* from = memory_.at(addr, part.bytes);
    Tlps& tlps = out.slot();
    tlps.kind = Tlps::Kind::completion;
    tlps.packets = static_cast<std::uint8_t>(part.packets);
    tlps.tag = request.tag;
    tlps.bytes = static_cast<std::uint16_t>(part.bytes);
    tlps.addr = addr;
    std::memcpy(tlps.payload.data(), from, static_cast<std::size_t>(part.bytes));
    addr += static_cast<std::uint64_t>(part.bytes);
    remaining -= part.bytes;
  }
}

void HostMemory::write(const Tlps& tlps) {
  occupy(tlps.bytes);
  std::memcpy(memory_.at(tlps.addr, tlps.bytes), tlps.payload.data(), tlps.bytes);
}

void HostMemory::deliver(const Tlps& tlps, DeviceMessage::Kind kind) {
  DeviceMessage message{.kind = kind, .bytes = static_cast<std::uint8_t>(tlps.bytes), .tag = tlps.tag, .data = {}};
  std::copy_n(tlps.payload.begin(), tlps.bytes, message.data.begin());
  messages.push(message);
}

void HostMemory::occupy(std::int64_t bytes) {
  timer_.wait(Time::fs(std::llround(static_cast<double>(bytes) * byte_time_fs_)));
}

void MmioPort::step() {
  const MmioRequest request = in.read();
  Tlps& tlps = out.slot();
  tlps.kind = request.kind == MmioRequest::Kind::store ? Tlps::Kind::write : Tlps::Kind::read;
  tlps.tag = request.tag;
  tlps.packets = 1;
  tlps.bytes = request.bytes;
  tlps.addr = request.addr;
  std::copy_n(request.data.begin(), request.bytes, tlps.payload.begin());
}

}  // namespace isthmus::fabric
