#include "isthmus/fabric/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t pages(Bytes size) {
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(size.count, 1));
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

DeviceMemory::DeviceMemory(Bytes channel_capacity, std::size_t channels)
    : channel_bytes_(static_cast<std::uint64_t>(channel_capacity.count) / kPage * kPage),
      free_(channels),
      cells_(channels) {
  for (Holes& holes : free_) holes.emplace(0, channel_bytes_);
}

DeviceMemory DeviceMemory::dropping_writes(const DeviceMemory& seen) {
  DeviceMemory memory(Bytes{static_cast<std::int64_t>(seen.channel_bytes_)}, 0);
  for (const DramCells& cells : seen.cells_) memory.cells_.push_back(DramCells::dropping_writes(cells));
  memory.free_.resize(memory.cells_.size());
  return memory;
}

DeviceAddress DeviceMemory::take(Bytes size) {
  const std::uint64_t bytes = pages(size);
  for (std::size_t tried = 0; tried < free_.size(); ++tried) {
    const std::size_t channel = next_;
    next_ = (next_ + 1) % free_.size();
    Holes& holes = free_[channel];
    const auto hole = std::ranges::find_if(holes, [bytes](const auto& each) { return each.second >= bytes; });
    if (hole == holes.end()) continue;
    const auto [address, length] = *hole;
    holes.erase(hole);
    if (length > bytes) holes.emplace(address + bytes, length - bytes);
    cells_[channel].reserve(address, bytes);
    return {.channel = static_cast<std::uint32_t>(channel), .byte = address};
  }
  throw Error(fmt::format("a buffer of {} bytes: the device's DRAM has no room for it", size.count));
}

void DeviceMemory::give_back(DeviceAddress at, Bytes size) {
  Holes& holes = free_[at.channel];
  auto hole = holes.emplace(at.byte, pages(size)).first;
  if (const auto next = std::next(hole); next != holes.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    holes.erase(next);
  }
  if (hole == holes.begin()) return;
  const auto before = std::prev(hole);
  if (before->first + before->second != hole->first) return;
  before->second += hole->second;
  holes.erase(hole);
}

}  // namespace isthmus::fabric
