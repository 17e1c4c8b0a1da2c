#include "isthmus/stream/pinned_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kFirstAddress = 0x1'0000'0000;     // above 4 GiB: headers with 64-bit addresses
constexpr std::uint64_t kRange = std::uint64_t{1} << 40U;  // addresses for one who asks for some of his own
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kAlignment = 64;  // of the bytes here, as an address's: objects lie in them

constexpr auto kAddress = [](const auto& block) { return block->addr; };  // regions lie in its order

}  // namespace

PinnedMemory::PinnedMemory() : common_{.next = kFirstAddress, .end = kRange}, reserved_(kRange) {}

PinnedMemory::Block::Block(std::uint64_t at, std::int64_t length, Storage all)
    : addr(at), size(length), storage(std::move(all)) {
  void* first = storage.get();
  std::size_t room = static_cast<std::size_t>(length) + kAlignment;
  bytes = static_cast<std::byte*>(std::align(kAlignment, static_cast<std::size_t>(length), first, room));
}

PinnedMemory::Region PinnedMemory::allocate(Bytes size) {
  return allocate(size, common_);
}

PinnedMemory::Addresses PinnedMemory::reserve() {
  const std::uint64_t first = std::exchange(reserved_, reserved_ + kRange);
  return {.next = first, .end = reserved_};
}

PinnedMemory::Region PinnedMemory::allocate(Bytes size, Addresses& addresses) {
  const auto bytes = static_cast<std::size_t>(size.count);
  const std::uint64_t addr = (addresses.next + kPage - 1) / kPage * kPage;
  if (addr > addresses.end || addresses.end - addr < bytes)
    throw Error(fmt::format("{} bytes of pinned memory: the {} bytes of addresses for it are used up", bytes, kRange));
  Storage storage(static_cast<std::byte*>(std::calloc(bytes + kAlignment, 1)));
  if (storage == nullptr) throw std::bad_alloc();
  auto block = std::make_shared<Block>(addr, size.count, std::move(storage));
  addresses.next = addr + bytes;
  const Region region{.addr = addr, .bytes = {block->bytes, bytes}};
  const auto after = std::ranges::upper_bound(blocks_, addr, {}, kAddress);
  blocks_.insert(after, std::move(block));
  return region;
}

void PinnedMemory::release(const Region& region) {
  std::erase_if(blocks_, [&region](const auto& block) { return block->bytes == region.bytes.data(); });
}

Bytes PinnedMemory::allocated() const {
  Bytes sum;
  for (const auto& block : blocks_) sum.count += block->size;
  return sum;
}

const std::shared_ptr<PinnedMemory::Block>& PinnedMemory::find(std::uint64_t addr) {
  const auto holds = [addr](const std::shared_ptr<Block>& block) {
    return addr >= block->addr && addr - block->addr < static_cast<std::uint64_t>(block->size);
  };
  const std::size_t last = last_.load(std::memory_order_relaxed);
  if (last < blocks_.size() && holds(blocks_[last])) return blocks_[last];
  const auto after = std::ranges::upper_bound(blocks_, addr, {}, kAddress);
  const auto found = static_cast<std::size_t>(after - blocks_.begin()) - 1;
  if (after == blocks_.begin() || !holds(blocks_[found]))
    throw Error(fmt::format("host address {:#x} is no pinned memory", addr));
  last_.store(found, std::memory_order_relaxed);
  return blocks_[found];
}

std::size_t PinnedMemory::lent() const {
  return static_cast<std::size_t>(std::ranges::count_if(blocks_, [](const auto& block) { return block->lent.load(); }));
}

std::byte* PinnedMemory::at(std::uint64_t addr, std::int64_t bytes) {
  Block& block = *find(addr);
  const auto offset = static_cast<std::int64_t>(addr - block.addr);
  if (offset + bytes > block.size)
    throw Error(fmt::format("{} bytes at host address {:#x} pass the end of their pinned region", bytes, addr));
  if (block.lent) throw Error(fmt::format("the device touches host address {:#x} while a host thread holds it", addr));
  return block.bytes + offset;
}

}  // namespace isthmus
