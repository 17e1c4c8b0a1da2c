#include "isthmus/fabric/host_memory.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::fabric {
std::int64_t completion_bytes(const PcieLinkSpec& spec, std::uint64_t addr, std::int64_t remaining) {
  const std::int64_t largest = spec.max_payload.count;
  if (remaining <= largest) return remaining;
  const auto past_boundary =
      static_cast<std::int64_t>(addr % static_cast<std::uint64_t>(spec.read_completion_boundary.count));
  return largest - (past_boundary + largest) % spec.read_completion_boundary.count;
}

HostMemory::HostMemory(const PcieLinkSpec& link, const HostMemorySpec& spec)
    : link_(link), byte_time_fs_(1e15 / spec.bandwidth.bytes_per_second), receipts_(link) {}

void HostMemory::step() {
  in.read(tlp_);
  const Dllps due = receipts_.took(tlp_);
  if (due.ack || due.update) dllps.push(due);
  switch (tlp_.kind) {
    case Tlp::Kind::read:
      return read(tlp_);
    case Tlp::Kind::write:
      return tlp_.addr == kInterruptAddress ? deliver(tlp_, DeviceMessage::Kind::interrupt) : write(tlp_);
    case Tlp::Kind::completion:
      return deliver(tlp_, DeviceMessage::Kind::reply);
  }
}

void HostMemory::read(const Tlp& request) {
  occupy(request.bytes);
  std::uint64_t addr = request.addr;
  for (std::int64_t remaining = request.bytes; remaining > 0;) {
    const std::int64_t bytes = completion_bytes(link_, addr, remaining);
    const std::byte* from = memory_.at(addr, bytes);
    Tlp& tlp = out.slot();
    tlp.kind = Tlp::Kind::completion;
    tlp.tag = request.tag;
    tlp.bytes = static_cast<std::uint16_t>(bytes);
    tlp.remaining = static_cast<std::uint16_t>(remaining);
    tlp.addr = addr;
    std::memcpy(tlp.payload.data(), from, static_cast<std::size_t>(bytes));
    addr += static_cast<std::uint64_t>(bytes);
    remaining -= bytes;
  }
}

void HostMemory::write(const Tlp& tlp) {
  occupy(tlp.bytes);
  std::memcpy(memory_.at(tlp.addr, tlp.bytes), tlp.payload.data(), tlp.bytes);
}

void HostMemory::deliver(const Tlp& tlp, DeviceMessage::Kind kind) {
  DeviceMessage message{.kind = kind, .bytes = static_cast<std::uint8_t>(tlp.bytes), .tag = tlp.tag, .data = {}};
  std::copy_n(tlp.payload.begin(), tlp.bytes, message.data.begin());
  messages.push(message);
}

void HostMemory::occupy(std::int64_t bytes) {
  timer_.wait(Time::fs(static_cast<std::int64_t>(static_cast<double>(bytes) * byte_time_fs_ + 0.5)));
}

void MmioPort::step() {
  const MmioRequest request = in.read();
  Tlp& tlp = out.slot();
  tlp.kind = request.kind == MmioRequest::Kind::store ? Tlp::Kind::write : Tlp::Kind::read;
  tlp.tag = request.tag;
  tlp.bytes = request.bytes;
  tlp.remaining = request.bytes;
  tlp.addr = request.addr;
  std::copy_n(request.data.begin(), request.bytes, tlp.payload.begin());
}

}  // namespace isthmus::fabric
