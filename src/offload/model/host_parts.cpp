#include "offload/model/host_parts.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace isthmus::offload::model {
namespace {

std::uint64_t words_up(std::uint64_t bytes) {
  const auto word = static_cast<std::uint64_t>(kWordBytes);
  return (bytes + word - 1) / word * word;
}

Time at_rate(std::uint64_t bytes, Bandwidth rate) {
  return transfer_time({static_cast<std::int64_t>(bytes)}, rate);
}

/// Bytes that a core asks the memory for together: more than a line, so that a copy is not thousands of requests a
/// microsecond; little enough that others hardly wait behind it. Less than that stays in the core's own cache.
constexpr std::uint64_t kPieceOfCopy = 1024;

}  // namespace

const PinnedMemory::Region& Staging::grown(std::optional<PinnedMemory::Region>& region, std::uint64_t bytes) {
  if (!region || region->bytes.size() < bytes)
    region = memory_.allocate({static_cast<std::int64_t>(bytes)}, addresses_);
  return *region;
}

void Staging::prepare(Command& command) {
  const auto each = static_cast<std::uint64_t>(dma_.descriptor_payload.count);
  const auto size = static_cast<std::uint64_t>(dma_.descriptor_size.count);
  const std::uint64_t count = (command.bytes + each - 1) / each;
  const auto& buffer = grown(buffer_, words_up(command.bytes));
  const auto& descriptors = grown(descriptors_, words_up(count * size));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t done = i * each;
    const fabric::DmaDescriptor descriptor{.host = buffer.addr + done,
                                           .device = command.device.byte + done,
                                           .bytes = static_cast<std::uint32_t>(std::min(each, command.bytes - done)),
                                           .channel = command.device.channel};
    std::memcpy(descriptors.bytes.data() + i * size, &descriptor, sizeof descriptor);
  }
  command.pinned = buffer.bytes.first(command.bytes);
  command.job = {.descriptors = descriptors.addr, .count = static_cast<std::uint32_t>(count)};
}

void TransferCall::step() {
  const CommandToken token = in.read();
  timer_.wait(cost_);
  token.command->spent[Piece::driver_call] += cost_;
  if (staging_) staging_->prepare(*token.command);
  out.push(token);
}

void PinnedAllocation::step() {
  const CommandToken token = in.read();
  if (token.command->allocates) {
    const Time cost = cost_.of({static_cast<std::int64_t>(token.command->bytes)});
    timer_.wait(cost);
    token.command->spent[Piece::allocation] += cost;
  }
  out.push(token);
}

void HostCopy::step() {
  const CommandToken token = in.read();
  if (token.command->work == Work::to_device) {
    pass(*token.command);
    std::ranges::copy(token.command->from, token.command->pinned.begin());
  }
  submit.push(token);
  Command& command = *arrived.read().command;
  if (command.work == Work::to_host) {
    pass(command);
    std::ranges::copy(command.pinned, command.to.begin());
  }
  out.push({&command});
}

void HostCopy::pass(Command& command) {
  if (!copies_ || !command.copied) return;
  const Time begin = timer_.now();
  core.copy(command.bytes);
  command.spent[Piece::copy] += timer_.now() - begin;
}

CopyingCore::CopyingCore(const std::optional<CopySpec>& spec)
    : moves(spec ? 1 : 0, "moves"), moved(spec ? 1 : 0, "moved"), spec_(spec) {}

void CopyingCore::copy(std::uint64_t bytes) {
  if (bytes <= spec_->fits)
    timer_.wait(at_rate(bytes, spec_->cached_rate));
  else if (bytes < kPieceOfCopy)
    timer_.wait(at_rate(bytes, spec_->rate));
  else
    copy_through_memory(bytes);
}

// The core asks for each piece when its rate lets it, and for one ahead of what is moved: memory that is fast enough
// does not slow it. What memory has held up is not made good by a higher rate. The piece that is not whole comes first:
// of the last the memory has told before the core has done with it.
void CopyingCore::copy_through_memory(std::uint64_t bytes) {
  Time paced_from = timer_.now();
  std::uint64_t paced = 0;
  for (std::uint64_t left = bytes; left > 0;) {
    const std::uint64_t rest = left % kPieceOfCopy;
    const std::uint64_t piece = rest > 0 ? rest : kPieceOfCopy;
    fabric::HostRequest& request = moves[0].slot();
    request.kind = fabric::HostRequest::Kind::move;
    request.more = false;
    request.bytes = 0;
    request.together = static_cast<std::uint16_t>(2 * piece);  // read and written
    request.due = {};
    ++under_way_;
    left -= piece;
    paced += piece;
    const Time next = paced_from + at_rate(paced, spec_->rate);
    timer_.wait_until(next);
    if (under_way_ > 1) await_oldest();
    if (timer_.now() > next) {
      paced_from = timer_.now();
      paced = 0;
    }
  }
  while (under_way_ > 0) await_oldest();
}

void CopyingCore::await_oldest() {
  const fabric::HostMoved done = moved[0].read();
  timer_.wait_until(moved[0].came() + done.latency);
  --under_way_;
}

void LaunchCall::step() {
  const CommandToken token = in.read();
  timer_.wait(cost_);
  token.command->spent[Piece::launch] += cost_;
  out.push(token);
}

bool UnitsUnderWay::any() const {
  return std::ranges::any_of(commands_, [](const auto& command) { return command.has_value(); });
}

namespace {

std::vector<MmioRequest> doorbell_of(const Command& command) {
  return command.work == Work::kernel ? fabric::doorbell(command.unit, command.call)
                                      : fabric::doorbell(command.unit, command.job);
}

}  // namespace

void DeviceAccess::step() {
  const bool interrupted = take_interrupt();
  const bool rang = ring_doorbells();
  if (interrupted || rang || units_.any()) return;
  finished_ = true;
  for (auto& port : submitted) finished_ = port.closed() && finished_;
}

bool DeviceAccess::take_interrupt() {
  DeviceMessage message{};
  if (!messages.pull(message)) return false;
  timer_.wait(interrupt_);
  const CommandToken token = units_.end(message.tag);
  completed[token.command->worker].push(token);
  return true;
}

bool DeviceAccess::ring_doorbells() {
  bool any = false;
  for (auto& port : submitted) {
    CommandToken token{};
    if (!port.peek(token) || !units_.free(token.command->unit)) continue;
    port.pull();
    units_.begin(token);
    for (const MmioRequest& store : doorbell_of(*token.command)) {
      timer_.wait(store_);
      mmio.push(store);
    }
    any = true;
  }
  return any;
}

}  // namespace isthmus::offload::model
