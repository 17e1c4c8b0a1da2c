#include "isthmus/fabric/coherence/page_table.hpp"

#include <fmt/format.h>

#include <limits>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {

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
