#include "offload/model/host_parts.hpp"

#include <cstring>

namespace isthmus::offload::model {
namespace {

std::uint64_t words_up(std::uint64_t bytes) {
  const auto word = static_cast<std::uint64_t>(kWordBytes);
  return (bytes + word - 1) / word * word;
}

}  // namespace

const PinnedMemory::Region& Staging::grown(std::optional<PinnedMemory::Region>& region, std::uint64_t bytes) {
  if (region && region->bytes.size() >= bytes) return *region;
  if (region) memory_->release(*region);
  region = memory_->allocate({static_cast<std::int64_t>(bytes)}, addresses_);
  return *region;
}

Staging::Staging(PinnedMemory& memory, const fabric::DmaSpec& dma, const std::optional<std::uint64_t>& chunk)
    : Staging(dma, chunk) {
  memory_ = &memory;
  addresses_ = memory.reserve();
}

Staging::Staging(const fabric::DmaSpec& dma, const std::optional<std::uint64_t>& chunk) : dma_(dma) {
  if (!chunk) return;
  // A chunk's descriptors begin where a word does.
  const auto of_a_word = static_cast<std::uint64_t>(dma.descriptor_payload.count *
                                                    std::max<std::int64_t>(1, kWordBytes / dma.descriptor_size.count));
  chunk_ = (*chunk + of_a_word - 1) / of_a_word * of_a_word;
}

void Staging::prepare(Command& command) {
  const auto each = static_cast<std::uint64_t>(dma_.descriptor_payload.count);
  const auto size = static_cast<std::uint64_t>(dma_.descriptor_size.count);
  const std::uint64_t count = (command.bytes + each - 1) / each;
  const bool in_chunks = command.copied && chunk_ > 0 && command.bytes > chunk_;
  command.chunk = in_chunks ? chunk_ : 0;
  if (memory_ == nullptr) return;
  const std::uint64_t room = in_chunks ? std::min(command.bytes, 2 * chunk_) : command.bytes;
  const auto& buffer = grown(buffer_, words_up(room));
  const auto& descriptors = grown(descriptors_, words_up(count * size));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t done = i * each;
    const fabric::DmaDescriptor descriptor{.host = buffer.addr + (in_chunks ? done % (2 * chunk_) : done),
                                           .device = command.device.byte + done,
                                           .bytes = static_cast<std::uint32_t>(std::min(each, command.bytes - done)),
                                           .channel = command.device.channel};
    std::memcpy(descriptors.bytes.data() + i * size, &descriptor, sizeof descriptor);
  }
  command.pinned = buffer.bytes.first(room);
  command.job = {.descriptors = descriptors.addr, .count = static_cast<std::uint32_t>(count)};
}

void TransferCall::step() {
  const CommandToken token = in.read();
  timer_.wait(cost_);
  token.command->spent[HostCost::driver_call] += cost_;
  if (staging_) staging_->prepare(*token.command);
  out.push(token);
}

void PinnedAllocation::step() {
  const CommandToken token = in.read();
  if (token.command->allocates) {
    const Time cost = cost_.of({static_cast<std::int64_t>(token.command->bytes)});
    timer_.wait(cost);
    token.command->spent[HostCost::allocation] += cost;
  }
  out.push(token);
}

void LaunchCall::step() {
  const CommandToken token = in.read();
  timer_.wait(cost_);
  token.command->spent[HostCost::launch] += cost_;
  out.push(token);
}

fabric::Units UnitWays::units_on(const fabric::Units& all, std::size_t way) {
  return {way < all.engines() ? 1U : 0U, way == 0 ? all.kernels() : 0U};
}

UnitWays::Place UnitWays::place_of(fabric::Unit unit) const {
  if (all_.is_kernel(unit)) return {.way = 0, .unit = first_.kernel(all_.kernel_of(unit))};
  const std::size_t engine = all_.engine_of(unit);
  const bool to_device = unit == fabric::Units::to_device(engine);
  return {.way = engine, .unit = to_device ? fabric::Units::to_device(0) : fabric::Units::to_host(0)};
}

fabric::Unit UnitWays::unit_at(const Place& place) const {
  if (place.way == 0 && first_.is_kernel(place.unit)) return all_.kernel(first_.kernel_of(place.unit));
  const bool to_device = place.unit == fabric::Units::to_device(0);
  return to_device ? fabric::Units::to_device(place.way) : fabric::Units::to_host(place.way);
}

bool UnitsUnderWay::any() const {
  return std::ranges::any_of(commands_, [](const Command* command) { return command != nullptr; });
}

namespace {

std::vector<MmioRequest> doorbell_of(const Command& command, fabric::Unit unit) {
  return command.work == DeviceWork::kernel ? fabric::doorbell(unit, command.call)
                                            : fabric::doorbell(unit, command.job);
}

}  // namespace

void DeviceAccess::step() {
  const bool interrupted = take_interrupt();
  const bool rang = ring_doorbells();
  if (interrupted || rang || units_.any()) return;
  finished_ = true;
  for (auto& port : submitted) finished_ = port.closed() && finished_;
}

/// The first of those that have come at once.
bool DeviceAccess::take_interrupt() {
  for (std::size_t way = 0; way < messages.size(); ++way) {
    DeviceMessage message{};
    if (!messages[way].pull(message)) continue;
    timer_.wait(costs_.interrupt);
    const CommandToken token = units_.end(places_.unit_at({.way = way, .unit = message.tag}));
    completed[token.command->worker].push(token);
    return true;
  }
  return false;
}

bool DeviceAccess::ring_doorbells() {
  return units_.begin_free(submitted, [this](CommandToken token) {
    const UnitWays::Place place = places_.place_of(token.command->unit);
    for (const MmioRequest& store : doorbell_of(*token.command, place.unit)) {
      timer_.wait(costs_.store);
      mmio[place.way].push(store);
    }
  });
}

}  // namespace isthmus::offload::model
