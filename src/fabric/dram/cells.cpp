#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric {
namespace {

// A multiple of kLongestAxiBurst, so that no burst crosses a page.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;

/// Calls `move(address, piece)` for the piece of `all` that lies in each page.
template <class Bytes, class Move>
void by_page(std::uint64_t address, Bytes all, const Move& move) {
  while (!all.empty()) {
    const auto piece = all.first(std::min<std::size_t>(all.size(), kPiece - address % kPiece));
    move(address, piece);
    all = all.subspan(piece.size());
    address += piece.size();
  }
}

}  // namespace

DramCells DramCells::dropping_writes(const DramCells& seen) {
  DramCells cells;
  cells.seen_ = &seen;
  return cells;
}

void DramCells::reserve(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = (address + bytes + kPiece - 1) / kPiece;
  if (pages_.size() < end) pages_.resize(end);
  for (std::uint64_t page = address / kPiece; page < end; ++page)
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<std::byte[]>(kPiece);
}

std::byte* DramCells::place(std::uint64_t address) const {
  if (seen_ != nullptr) return seen_->place(address);
  const std::uint64_t page = address / kPiece;
  if (page >= pages_.size() || pages_[page] == nullptr)
    throw Error(fmt::format("device DRAM: the byte at {:#x} is in no buffer", address));
  return pages_[page].get() + address % kPiece;
}

void DramCells::read(std::uint64_t address, std::span<std::byte> to) const {
  by_page(address, to, [this](std::uint64_t from, std::span<std::byte> piece) {
    std::memcpy(piece.data(), place(from), piece.size());
  });
}

void DramCells::write(std::uint64_t address, std::span<const std::byte> from) {
  by_page(address, from, [this](std::uint64_t to, std::span<const std::byte> piece) {
    std::byte* there = place(to);
    if (seen_ == nullptr) std::memcpy(there, piece.data(), piece.size());
  });
}

}  // namespace isthmus::fabric
