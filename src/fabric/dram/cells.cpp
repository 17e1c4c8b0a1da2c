#include <fmt/format.h>

#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric {
namespace {

// A multiple of kLongestAxiBurst, so that no burst crosses a page.
constexpr std::uint64_t kPage = std::uint64_t{1} << 20U;

}  // namespace

void DramCells::reserve(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = (address + bytes + kPage - 1) / kPage;
  if (pages_.size() < end) pages_.resize(end);
  for (std::uint64_t page = address / kPage; page < end; ++page)
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<std::byte[]>(kPage);
}

std::byte* DramCells::place(std::uint64_t address, std::size_t bytes) const {
  const std::uint64_t page = address / kPage;
  const std::uint64_t offset = address % kPage;
  if (page >= pages_.size() || pages_[page] == nullptr || offset + bytes > kPage)
    throw Error(fmt::format("device DRAM: {} bytes at {:#x} are in no buffer", bytes, address));
  return pages_[page].get() + offset;
}

void DramCells::read(std::uint64_t address, std::span<std::byte> to) const {
  std::memcpy(to.data(), place(address, to.size()), to.size());
}

void DramCells::write(std::uint64_t address, std::span<const std::byte> from) {
  std::memcpy(place(address, from.size()), from.data(), from.size());
}

}  // namespace isthmus::fabric
