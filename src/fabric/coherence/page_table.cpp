#include "isthmus/fabric/coherence/page_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {

bool HeldPages::ask(std::uint64_t page) {
  ++uses_;
  if (last_ < held_.size() && held_[last_].page == page) {
    held_[last_].used = uses_;
    return true;
  }
  auto found = std::ranges::find(held_, page, &Held::page);
  const bool known = found != held_.end();
  if (!known && held_.size() < most_) found = held_.insert(held_.end(), {.page = page, .used = 0});
  if (found == held_.end()) found = std::ranges::min_element(held_, {}, &Held::used);
  *found = {.page = page, .used = uses_};
  last_ = static_cast<std::size_t>(found - held_.begin());
  return known;
}

void SharedSpace::require_room(Bytes size, Bytes has) const {
  const std::int64_t page = table_ ? table_->page.count : 1;
  const auto require = [&](std::int64_t most, const std::string& what) {
    const std::int64_t left = most / page * page - taken_ + has.count;
    if (size.count > left)
      throw Error(fmt::format("{}: shared memory: expected at most {} B, what is left of {}, got {} B", board_, left,
                              what, size.count));
  };
  if (table_)
    require(table_->entries * page,
            fmt::format("{} pages of {} B (translation.entries, translation.page)", table_->entries, page));
  if (capacity_)
    require(capacity_->count, fmt::format("{} B of the host (host.memory.capacity){}", capacity_->count,
                                          table_ ? fmt::format(" in pages of {} B", page) : ""));
}

std::uint64_t SharedSpace::allocate(Bytes size, Bytes has) {
  require_room(size, has);
  const std::int64_t missing = size.count - has.count;
  if (!table_) {
    taken_ += missing;
    return memory_.allocate({missing}).addr;
  }
  const std::uint64_t address = static_cast<std::uint64_t>(frames_.size()) << shift_;
  const std::int64_t page = table_->page.count;
  for (std::int64_t held = 0; held < missing; held += page) frames_.push_back(memory_.allocate(table_->page).addr);
  taken_ = static_cast<std::int64_t>(frames_.size()) * page;
  return address;
}

void SharedSpace::copy_in(std::uint64_t address, std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto piece = std::min<std::uint64_t>(from.size(), left_in_page(address));
    std::ranges::copy(from.first(piece), bytes(address, static_cast<std::int64_t>(piece)).begin());
    from = from.subspan(piece);
    address += piece;
  }
}

std::uint64_t SharedSpace::left_in_page(std::uint64_t address) const {
  if (!table_) return std::numeric_limits<std::uint64_t>::max();
  const auto page = static_cast<std::uint64_t>(table_->page.count);
  return page - (address & (page - 1));
}

void SharedSpace::refuse(std::uint64_t address) {
  throw Error(
      fmt::format("address {:#x} of a circuit: expected one of the page table, got one that no entry holds", address));
}

}  // namespace isthmus::fabric
