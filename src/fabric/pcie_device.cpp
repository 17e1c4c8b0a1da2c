#include "isthmus/fabric/pcie_device.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "isthmus/fabric/root_port.hpp"

namespace isthmus::fabric {
namespace {

constexpr std::int64_t kPage = 4096;

/// The bytes from `addr` to the next 4 KiB boundary, which no request crosses (2.2.7).
std::int64_t to_boundary(std::uint64_t addr) {
  return kPage - static_cast<std::int64_t>(addr % kPage);
}

}  // namespace

int cycles_per_word(const PcieLinkSpec& spec) {
  return static_cast<int>(std::max<std::int64_t>(1, kWordBytes / spec.user_width.count));
}

PcieReader::PcieReader(const PcieLinkSpec& spec)
    : max_request_(spec.max_read_request.count),
      free_tags_(static_cast<std::size_t>(spec.tags)),
      tags_(kTags, spec.tags, Occupancy::with(freed_tags)) {
  std::iota(free_tags_.rbegin(), free_tags_.rend(), std::uint16_t{0});
}

void PcieReader::step() {
  const PcieReadReq request = in.read();
  std::uint64_t addr = request.addr;
  for (std::int64_t left = request.num * kWordBytes; left > 0;) {
    const std::int64_t bytes = std::min({left, max_request_, to_boundary(addr)});
    const PcieReadPart part{.tag = take_tag(), .bytes = static_cast<std::uint16_t>(bytes), .addr = addr};
    expected.push(part);
    parts.push(part);
    addr += static_cast<std::uint64_t>(bytes);
    left -= bytes;
  }
}

std::uint16_t PcieReader::take_tag() {
  if (free_tags_.empty()) {
    free_tags_.push_back(freed_tags.read());
    tags_.came_back();
  }
  const std::uint16_t tag = free_tags_.back();
  free_tags_.pop_back();
  tags_.take();
  return tag;
}

void PcieTransmitter::step() {
  if (words_left_ > 0) return gather();
  if (send_message() || send_read()) return;
  if (begin_write()) return gather();
  finished_ = messages.closed() && reads.closed() && writes.closed();
}

bool PcieTransmitter::send_message() {
  DeviceMessage message;
  if (!messages.pull(message)) return false;
  const bool interrupt = message.kind == DeviceMessage::Kind::interrupt;
  Tlps& tlps = out.slot();
  tlps.kind = interrupt ? Tlps::Kind::write : Tlps::Kind::completion;
  tlps.tag = message.tag;
  tlps.packets = 1;
  tlps.bytes = message.bytes;
  tlps.addr = interrupt ? kInterruptAddress : 0;
  std::copy_n(message.data.begin(), message.bytes, tlps.payload.begin());
  return true;
}

bool PcieTransmitter::send_read() {
  PcieReadPart part;
  if (!reads.pull(part)) return false;
  Tlps& tlps = out.slot();
  tlps.kind = Tlps::Kind::read;
  tlps.tag = part.tag;
  tlps.packets = 1;
  tlps.bytes = part.bytes;
  tlps.addr = part.addr;
  return true;
}

bool PcieTransmitter::begin_write() {
  PcieWriteApply apply;
  if (!writes.pull(apply)) return false;
  addr_ = apply.addr;
  words_left_ = apply.num;
  return words_left_ > 0;
}

/// Adds a word to the TLPs under way and sends them when they are full or the write ends. A packet of several tokens
/// sends each of them as soon as it is full.
void PcieTransmitter::gather() {
  if (packet_.bytes == 0) begin_token();
  const PcieWriteData word = write_data.read();
  std::memcpy(packet_.payload.data() + packet_.bytes, &word.data, kWordBytes);
  packet_.bytes = static_cast<std::uint16_t>(packet_.bytes + kWordBytes);
  --words_left_;
  if (packet_.bytes < packet_size_) return;
  packet_.kind = Tlps::Kind::write;
  packet_.packets = static_cast<std::uint8_t>(packet_left_ > 0 ? 0 : (packet_.bytes + max_payload_ - 1) / max_payload_);
  packet_.addr = addr_;
  copy(packet_, out.slot());
  addr_ += packet_.bytes;
  packet_.bytes = 0;
  if (words_left_ == 0) writes_done.push({});
}

void PcieTransmitter::begin_token() {
  if (packet_left_ == 0) packet_left_ = std::min({words_left_ * kWordBytes, most_, to_boundary(addr_)});
  packet_size_ = std::min(packet_left_, kMostPayload);
  packet_left_ -= packet_size_;
}

PcieReceiver::PcieReceiver(const PcieLinkSpec& spec) : receipts_(spec), early_(static_cast<std::size_t>(spec.tags)) {
  for (auto& answer : early_) answer.reserve(static_cast<std::size_t>(spec.max_read_request.count));
}

void PcieReceiver::step() {
  if (ready_ == ready_end_) accept();
  if (ready_ != ready_end_) emit();
}

void PcieReceiver::accept() {
  const Tlps& tlps = in.read_in_place();
  const Dllps due = receipts_.took(tlps);
  if (due.count() > 0) dllps.push(due);
  tlps.kind == Tlps::Kind::completion ? accept_completion(tlps) : accept_mmio(tlps);
}

void PcieReceiver::accept_mmio(const Tlps& tlps) {
  MmioRequest& request = mmio.slot();
  request.kind = tlps.kind == Tlps::Kind::write ? MmioRequest::Kind::store : MmioRequest::Kind::load;
  request.bytes = static_cast<std::uint8_t>(tlps.bytes);
  request.tag = tlps.tag;
  request.addr = tlps.addr;
  std::copy_n(tlps.payload.begin(), request.data.size(), request.data.begin());
}

void PcieReceiver::accept_completion(const Tlps& tlps) {
  if (head_.bytes == 0) next_answer();
  if (tlps.tag == head_.tag) {
    ready_ = next_packet_ = tlps.payload.data();
    ready_end_ = ready_ + tlps.bytes;
    packet_bytes_ = tlps.packets > 1 ? (tlps.bytes + tlps.packets - 1) / tlps.packets : tlps.bytes;
    there_ = tlps.there;
    spacing_ = tlps.spacing;
    return;
  }
  auto& answer = early_.at(tlps.tag);
  if (answer.empty()) ++answers_early_;
  answer.insert(answer.end(), tlps.payload.begin(), tlps.payload.begin() + tlps.bytes);
}

/// Turns to the next answer in order, and to the part of it that has already come.
void PcieReceiver::next_answer() {
  head_ = expected.read();
  emitted_ = 0;
  auto& answer = early_.at(head_.tag);
  if (answer.empty()) return;
  early_head_.swap(answer);
  answer.clear();
  ready_ = early_head_.data();
  ready_end_ = next_packet_ = ready_ + early_head_.size();
  --answers_early_;
}

void PcieReceiver::emit() {
  if (ready_ >= next_packet_) await_packet();
  std::memcpy(data.slot().data.bytes.data(), ready_, kWordBytes);
  ready_ += kWordBytes;
  emitted_ += kWordBytes;
  if (emitted_ < head_.bytes) return;
  freed_tags.push(head_.tag);
  head_.bytes = 0;
  if (answers_early_ > 0) next_answer();
}

void PcieReceiver::await_packet() {
  timer_.wait_until(there_);
  there_ += spacing_;
  next_packet_ += packet_bytes_;
}

}  // namespace isthmus::fabric
