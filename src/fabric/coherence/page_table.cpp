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

std::uint64_t SharedSpace::allocate(Bytes size) {
  if (!table_) return memory_.allocate(size).addr;
  const std::int64_t page = table_->page.count;
  const std::int64_t pages = (size.count + page - 1) / page;
  const std::int64_t left = table_->entries - static_cast<std::int64_t>(frames_.size());
  if (pages > left)
    throw Error(fmt::format("shared memory of {} B: expected at most {} B, what is left of a page table of {} x {} B",
                            size.count, left * page, table_->entries, page));
  const std::uint64_t address = static_cast<std::uint64_t>(frames_.size()) << shift_;
  for (std::int64_t i = 0; i < pages; ++i) frames_.push_back(memory_.allocate(table_->page).addr);
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
