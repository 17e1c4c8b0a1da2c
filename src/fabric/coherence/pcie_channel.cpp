#include "isthmus/fabric/coherence/pcie_channel.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

constexpr std::uint64_t kWordMask = kWordBytes - 1;

}  // namespace

PcieChannel::PcieChannel(const PcieChannelSpec& spec)
    : spec_(spec), reading_(static_cast<std::size_t>(spec.words)), writing_(static_cast<std::size_t>(spec.writes)) {}

void PcieChannel::step() {
  asked_ = told_ = moved_ = false;
  hear();
  take_data();
  acknowledge();
  send_read();
  send_write();
  if (moved_) return;
  over_ = words_due_ == 0 && writes_due_ == 0 && sent_ == 0 && line_reads.closed() && line_writes.closed();
  if (over_)
    messages.push({.kind = DeviceMessage::Kind::interrupt, .bytes = sizeof(std::uint32_t), .tag = 0, .data = {}});
  else
    timer_.wait(line_reads, line_writes, read_results, write_results, posted, reads, data, writes, write_data, written);
}

void PcieChannel::hear() {
  if (sent_ > 0 && written.pull()) {
    --sent_;
    moved_ = true;
  }
  if (writes_due_ == 0) return;
  if (const PciePosted* bytes = posted.pull_in_place(); bytes != nullptr) {
    posted_lines_ += bytes->bytes / kWordBytes;
    moved_ = true;
  }
}

void PcieChannel::take_data() {
  if (words_due_ == 0) return;
  const Asked asked = reading_.front();
  const bool fence = asked.kind == LineAccess::Kind::fence;
  Out<LineResult>& to = fence ? write_results : read_results;
  if (!to.room()) return;
  const PcieReadResp* word = data.pull_in_place();
  if (word == nullptr) return;
  reading_.pop();
  --words_due_;
  told_ |= fence;
  moved_ = true;
  LineResult& result = to.slot();
  result.kind = asked.kind;
  result.bytes = asked.bytes;
  result.tag = asked.tag;
  result.channel = asked.channel;
  std::memcpy(result.data.data(), word->data.bytes.data() + asked.offset, asked.bytes);
}

void PcieChannel::acknowledge() {
  if (posted_lines_ == 0 || told_ || !write_results.room()) return;
  LineResult& result = write_results.slot();
  result.kind = LineAccess::Kind::write;
  result.bytes = kWordBytes;
  result.tag = writing_.front();
  writing_.pop();
  --writes_due_;
  --posted_lines_;
  moved_ = true;
}

std::uint64_t PcieChannel::address_of(const LineAccess& access) const {
  return spec_.space != nullptr ? spec_.space->physical(access.addr) : access.addr;
}

/// Gathers the lines of one request, which follow each other, into a read that is sent with the last of them.
void PcieChannel::send_read() {
  if (words_due_ == spec_.words || !reads.room()) return;
  const LineAccess* access = line_reads.pull_in_place();
  if (access == nullptr) return;
  moved_ = true;
  if (gathered_++ == 0) first_ = address_of(*access) & ~kWordMask;
  reading_.push({.kind = access->kind,
                 .bytes = access->bytes,
                 .offset = static_cast<std::uint8_t>(access->addr & kWordMask),
                 .tag = access->tag});
  ++words_due_;
  if (access->more > 0) return;
  reads.push({.num = gathered_, .addr = first_});
  gathered_ = 0;
  asked_ = true;
}

void PcieChannel::send_write() {
  const LineAccess* access = line_writes.front();
  if (access == nullptr) return;
  if (access->kind == LineAccess::Kind::fence) return send_fence(*access);
  if (writes_due_ == spec_.writes || !write_data.room() || (lines_left_ == 0 && !writes.room())) return;
  write_line(*access);
}

void PcieChannel::write_line(const LineAccess& access) {
  if (access.bytes != kWordBytes || (access.addr & kWordMask) != 0)
    throw Error(fmt::format("a write over a PCIe channel: expected a line of {} B, got {} B at {:#x}", kWordBytes,
                            access.bytes, access.addr));
  if (lines_left_ == 0) {
    lines_left_ = static_cast<std::uint8_t>(access.more + 1);
    writes.push({.num = lines_left_, .addr = address_of(access)});
    ++sent_;
  }
  --lines_left_;
  std::memcpy(write_data.slot().data.bytes.data(), access.data.data(), kWordBytes);
  writing_.push(access.tag);
  ++writes_due_;
  line_writes.pull_in_place();
  moved_ = true;
}

/// Sends a fence after the read that is being gathered: otherwise the link would take the fence for one of its lines.
void PcieChannel::send_fence(const LineAccess& fence) {
  if (sent_ > 0 || gathered_ > 0 || asked_ || words_due_ == spec_.words || !reads.room()) return;
  reading_.push({.kind = fence.kind, .tag = fence.tag, .channel = fence.channel});
  ++words_due_;
  reads.push({.num = 1, .addr = kFenceAddress});
  line_writes.pull_in_place();
  moved_ = true;
}

}  // namespace isthmus::fabric
