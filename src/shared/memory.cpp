#include "isthmus/shared/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

/// Bytes of memory without a page table; all of it is pinned at once.
constexpr std::uint64_t kPinned = std::uint64_t{2} << 20U;

constexpr std::uint64_t kOwnLines = 1 + kMessages;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

SharedMemory::SharedMemory(const platform::SharedSpec& spec)
    : board_(spec.space.board),
      table_(spec.space.table),
      line_(static_cast<std::uint64_t>(spec.coherence.line)),
      pages_(spec) {
  first_ = allocate({static_cast<std::int64_t>(kOwnLines * line_)});
}

std::uint64_t SharedMemory::lines(Bytes size) const {
  return rounded_up(static_cast<std::uint64_t>(std::max<std::int64_t>(size.count, 1)), line_);
}

std::uint64_t SharedMemory::allocate(Bytes size, std::uint64_t alignment) {
  if (lent_)
    throw Error(
        fmt::format("{}: shared memory: expected to be asked for {} B before the machine runs", board_, size.count));
  const std::uint64_t length = lines(size);
  const std::uint64_t multiple = std::max(alignment, line_);
  const auto fits = [&](const Free::value_type& free) {
    return rounded_up(free.first, multiple) + length <= free.first + free.second;
  };
  auto found = std::ranges::find_if(free_, fits);
  if (found == free_.end()) {
    grow(length + (multiple - line_));
    found = std::ranges::find_if(free_, fits);
  }
  const auto [from, free] = *found;
  free_.erase(found);
  const std::uint64_t address = rounded_up(from, multiple);
  if (address > from) free_.emplace(from, address - from);
  if (address + length < from + free) free_.emplace(address + length, from + free - address - length);
  return address;
}

/// Allocates whole pages; the free rest of the last page is used next.
void SharedMemory::grow(std::uint64_t size) {
  if (!table_) {
    const std::uint64_t pinned = std::max(size, kPinned);
    // The line behind it is nobody's, so that none lies in two that are pinned apart.
    return give(pages_.space.allocate({static_cast<std::int64_t>(pinned + line_)}), pinned);
  }
  const auto page = static_cast<std::uint64_t>(table_->page.count);
  std::uint64_t tail = 0;
  if (!free_.empty()) {
    const auto [from, free] = *std::prev(free_.end());
    if (from + free == end_) tail = free;
  }
  const std::uint64_t added = rounded_up(size - tail, page);
  const std::uint64_t from =
      pages_.space.allocate({static_cast<std::int64_t>(size)}, {static_cast<std::int64_t>(tail)});
  end_ = from + added;
  give(from, added);
}

void SharedMemory::give(std::uint64_t address, std::uint64_t size) {
  auto next = free_.lower_bound(address);
  if (next != free_.end() && address + size == next->first) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += size;
      return;
    }
  }
  free_.emplace(address, size);
}

void SharedMemory::release(std::uint64_t address, Bytes size) {
  if (lent_) {
    released_.emplace_back(address, size);
    return;
  }
  const std::uint64_t length = lines(size);
  clear(address, length);
  give(address, length);
}

void SharedMemory::clear(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  while (address < end) {
    const std::uint64_t piece = std::min(end - address, pages_.space.left_in_page(address));
    std::ranges::fill(pages_.space.bytes(address, static_cast<std::int64_t>(piece)), std::byte{});
    address += piece;
  }
}

void SharedMemory::lend(bool to_caches) {
  lent_ = to_caches;
  if (lent_) return;
  for (const auto& [address, size] : std::exchange(released_, {})) release(address, size);
}

void SharedMemory::clear_own() {
  clear(first_, kOwnLines * line_);
}

std::span<std::byte> SharedMemory::bytes(std::uint64_t address, std::int64_t count) {
  if (lent_)
    throw Error(
        fmt::format("shared memory at {:#x}: expected a load or store of a core while the machine runs", address));
  return pages_.space.bytes(address, count);
}

}  // namespace isthmus
