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

}  // namespace

void Staging::grow(PinnedMemory& memory, std::optional<PinnedMemory::Region>& region,
                   std::uint64_t bytes) {
  if (!region || region->bytes.size() < bytes) region = memory.allocate({static_cast<std::int64_t>(bytes)});
}

void Staging::prepare(Command& command) {
  const auto each = static_cast<std::uint64_t>(dma_.descriptor_payload.count);
  const auto size = static_cast<std::uint64_t>(dma_.descriptor_size.count);
  const std::uint64_t count = (command.bytes + each - 1) / each;
  grow(memory_, buffer_, words_up(command.bytes));
  grow(memory_, descriptors_, words_up(count * size));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t done = i * each;
    const fabric::DmaDescriptor descriptor{.host = buffer_->addr + done,
                                           .device = command.device.byte + done,
                                           .bytes = static_cast<std::uint32_t>(std::min(each, command.bytes - done)),
                                           .channel = command.device.channel};
    std::memcpy(descriptors_->bytes.data() + i * size, &descriptor, sizeof descriptor);
  }
  command.pinned = buffer_->bytes.first(command.bytes);
  command.job = {.descriptors = descriptors_->addr, .count = static_cast<std::uint32_t>(count)};
}

void TransferCall::step() {
  const CommandToken token = in.read();
  timer_.wait(cost_);
  staging_.prepare(*token.command);
  out.push(token);
}

void PinnedAllocation::step() {
  const CommandToken token = in.read();
  timer_.wait(at_rate(token.command->bytes, rate_));
  out.push(token);
}

void HostCopy::step() {
  const CommandToken token = in.read();
  const Command& command = *token.command;
  if (rate_) timer_.wait(at_rate(command.bytes, *rate_));
  if (command.unit == Unit::to_device)
    std::ranges::copy(command.from, command.pinned.begin());
  else
    std::ranges::copy(command.pinned, command.to.begin());
  out.push(token);
}

void LaunchCall::step() {
  const CommandToken token = in.read();
  timer_.wait(cost_);
  out.push(token);
}

void DeviceAccess::step() {
  const bool interrupted = take_interrupt();
  const bool rang = ring_doorbells();
  if (interrupted || rang) return;
  if (std::ranges::any_of(under_way_, [](const Command* command) { return command != nullptr; })) return;
  finished_ = true;
  for (auto& port : submitted) finished_ = port.closed() && finished_;
}

bool DeviceAccess::take_interrupt() {
  DeviceMessage message{};
  if (!messages.pull(message)) return false;
  timer_.wait(interrupt_);
  completed.at(message.tag).push({std::exchange(under_way_.at(message.tag), nullptr)});
  return true;
}

bool DeviceAccess::ring_doorbells() {
  bool any = false;
  for (std::size_t unit = 0; unit < fabric::kUnits; ++unit) {
    CommandToken token{};
    if (under_way_[unit] != nullptr || !submitted[unit].pull(token)) continue;
    under_way_[unit] = token.command;
    timer_.wait(store_);
    mmio.push(static_cast<Unit>(unit) == Unit::kernel ? fabric::doorbell(token.command->start)
                                                      : fabric::doorbell(static_cast<Unit>(unit), token.command->job));
    any = true;
  }
  return any;
}

}  // namespace isthmus::offload::model
