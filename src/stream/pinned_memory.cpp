#include "isthmus/stream/pinned_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kFirstAddress = 0x1'0000'0000;  // above 4 GiB: headers with 64-bit addresses
constexpr std::int64_t kPage = 4096;

}  // namespace

PinnedMemory::Region PinnedMemory::allocate(Bytes size) {
  const auto bytes = static_cast<std::size_t>(size.count);
  const std::uint64_t after =
      blocks_.empty() ? kFirstAddress : blocks_.back().addr + static_cast<std::uint64_t>(blocks_.back().size);
  const std::uint64_t addr = (after + kPage - 1) / kPage * kPage;
  blocks_.push_back({addr, size.count, std::make_unique<std::byte[]>(bytes)});
  return {addr, {blocks_.back().bytes.get(), bytes}};
}

PinnedMemory::Block& PinnedMemory::find(std::uint64_t addr) {
  const auto holds = [addr](const Block& block) {
    return addr >= block.addr && addr - block.addr < static_cast<std::uint64_t>(block.size);
  };
  if (last_ < blocks_.size() && holds(blocks_[last_])) return blocks_[last_];
  const auto found = std::ranges::find_if(blocks_, holds);
  if (found == blocks_.end()) throw Error(fmt::format("host address {:#x} is no pinned memory", addr));
  last_ = static_cast<std::size_t>(found - blocks_.begin());
  return *found;
}

std::byte* PinnedMemory::at(std::uint64_t addr, std::int64_t bytes) {
  Block& block = find(addr);
  const auto offset = static_cast<std::int64_t>(addr - block.addr);
  if (offset + bytes > block.size)
    throw Error(fmt::format("{} bytes at host address {:#x} pass the end of their pinned region", bytes, addr));
  if (block.lent) throw Error(fmt::format("the device touches host address {:#x} while a host thread holds it", addr));
  return block.bytes.get() + offset;
}

}  // namespace isthmus
