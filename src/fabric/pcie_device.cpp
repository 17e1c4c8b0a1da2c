#include "isthmus/fabric/pcie_device.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "isthmus/fabric/host_memory.hpp"

namespace isthmus::fabric {
namespace {

constexpr std::int64_t kPage = 4096;

/// From `addr` to the next 4 KiB border, which no request crosses (2.2.7).
std::int64_t to_border(std::uint64_t addr) {
  return kPage - static_cast<std::int64_t>(addr % kPage);
}

}  // namespace

int cycles_per_word(const PcieLinkSpec& spec) {
  return static_cast<int>(std::max<std::int64_t>(1, kWordBytes / spec.user_width.count));
}

PcieReader::PcieReader(const PcieLinkSpec& spec)
    : max_request_(spec.max_read_request.count), free_tags_(static_cast<std::size_t>(spec.tags)) {
  std::iota(free_tags_.rbegin(), free_tags_.rend(), std::uint16_t{0});
}

void PcieReader::step() {
  const PcieReadReq request = in.read();
  std::uint64_t addr = request.addr;
  for (std::int64_t left = request.num * kWordBytes; left > 0;) {
    const std::int64_t bytes = std::min({left, max_request_, to_border(addr)});
    const PcieReadPart part{.tag = take_tag(), .bytes = static_cast<std::uint16_t>(bytes), .addr = addr};
    expected.push(part);
    parts.push(part);
    addr += static_cast<std::uint64_t>(bytes);
    left -= bytes;
  }
}

std::uint16_t PcieReader::take_tag() {
  if (free_tags_.empty()) return freed_tags.read();
  const std::uint16_t tag = free_tags_.back();
  free_tags_.pop_back();
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
  Tlp& tlp = out.slot();
  tlp.kind = interrupt ? Tlp::Kind::write : Tlp::Kind::completion;
  tlp.tag = message.tag;
  tlp.bytes = message.bytes;
  tlp.remaining = message.bytes;
  tlp.addr = interrupt ? kInterruptAddress : 0;
  std::copy_n(message.data.begin(), message.bytes, tlp.payload.begin());
  return true;
}

bool PcieTransmitter::send_read() {
  PcieReadPart part;
  if (!reads.pull(part)) return false;
  Tlp& tlp = out.slot();
  tlp.kind = Tlp::Kind::read;
  tlp.tag = part.tag;
  tlp.bytes = part.bytes;
  tlp.remaining = 0;
  tlp.addr = part.addr;
  return true;
}

bool PcieTransmitter::begin_write() {
  PcieWriteApply apply;
  if (!writes.pull(apply)) return false;
  addr_ = apply.addr;
  words_left_ = apply.num;
  return words_left_ > 0;
}

/// Adds a word to the TLP under way and sends it when it is full or the write ends.
void PcieTransmitter::gather() {
  if (packet_.bytes == 0) packet_size_ = std::min({words_left_ * kWordBytes, max_payload_, to_border(addr_)});
  const PcieWriteData word = write_data.read();
  std::memcpy(packet_.payload.data() + packet_.bytes, &word.data, kWordBytes);
  packet_.bytes = static_cast<std::uint16_t>(packet_.bytes + kWordBytes);
  --words_left_;
  if (packet_.bytes < packet_size_) return;
  packet_.kind = Tlp::Kind::write;
  packet_.addr = addr_;
  copy(packet_, out.slot());
  addr_ += packet_.bytes;
  packet_.bytes = 0;
  if (words_left_ == 0) writes_done.push({});
}

PcieReceiver::PcieReceiver(const PcieLinkSpec& spec) : receipts_(spec), early_(static_cast<std::size_t>(spec.tags)) {
  for (auto& answer : early_) answer.reserve(static_cast<std::size_t>(spec.max_read_request.count));
}

void PcieReceiver::step() {
  if (ready_ == ready_end_) accept();
  if (ready_ != ready_end_) emit();
}

void PcieReceiver::accept() {
  in.read(tlp_);
  const Dllps due = receipts_.took(tlp_);
  if (due.ack || due.update) dllps.push(due);
  tlp_.kind == Tlp::Kind::completion ? accept_completion() : accept_mmio();
}

void PcieReceiver::accept_mmio() {
  MmioRequest& request = mmio.slot();
  request.kind = tlp_.kind == Tlp::Kind::write ? MmioRequest::Kind::store : MmioRequest::Kind::load;
  request.bytes = static_cast<std::uint8_t>(tlp_.bytes);
  request.tag = tlp_.tag;
  request.addr = tlp_.addr;
  std::copy_n(tlp_.payload.begin(), request.data.size(), request.data.begin());
}

void PcieReceiver::accept_completion() {
  if (head_.bytes == 0) next_answer();
  if (tlp_.tag == head_.tag) {
    ready_ = tlp_.payload.data();
    ready_end_ = ready_ + tlp_.bytes;
    return;
  }
  auto& answer = early_.at(tlp_.tag);
  if (answer.empty()) ++answers_early_;
  answer.insert(answer.end(), tlp_.payload.begin(), tlp_.payload.begin() + tlp_.bytes);
}

/// Turns to the next answer in order and to what has already come of it.
void PcieReceiver::next_answer() {
  head_ = expected.read();
  emitted_ = 0;
  auto& answer = early_.at(head_.tag);
  if (answer.empty()) return;
  early_head_.swap(answer);
  answer.clear();
  ready_ = early_head_.data();
  ready_end_ = ready_ + early_head_.size();
  --answers_early_;
}

void PcieReceiver::emit() {
  std::memcpy(data.slot().data.bytes.data(), ready_, kWordBytes);
  ready_ += kWordBytes;
  emitted_ += kWordBytes;
  if (emitted_ < head_.bytes) return;
  freed_tags.push(head_.tag);
  head_.bytes = 0;
  if (answers_early_ > 0) next_answer();
}

}  // namespace isthmus::fabric
