#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "isthmus/base/units.hpp"

namespace isthmus {

/// Pinned host memory, physically contiguous region by region, each at a multiple of 4 KiB.
///
/// The device reads and writes it when the one actor that holds it serves a request. A region that a host thread works
/// in is lent to that thread: until it is given back the device may not touch it, which is an Error.
class PinnedMemory {
 public:
  struct Region {
    std::uint64_t addr;
    std::span<std::byte> bytes;
  };

  /// Zeroed memory. Before the run only; other regions stay where they are.
  Region allocate(Bytes size);

  /// From any thread.
  void lend(std::uint64_t addr) { find(addr).lent.store(true, std::memory_order_relaxed); }
  void give_back(std::uint64_t addr) { find(addr).lent.store(false, std::memory_order_relaxed); }
  /// How many regions are lent now.
  std::size_t lent() const;

  /// Where the device finds `addr`; throws Error if those bytes are not its to touch.
  std::byte* at(std::uint64_t addr, std::int64_t bytes);

 private:
  struct Block {
    Block(std::uint64_t at, std::int64_t length, std::unique_ptr<std::byte[]> storage)
        : addr(at), size(length), bytes(std::move(storage)) {}
    std::uint64_t addr;
    std::int64_t size;
    std::unique_ptr<std::byte[]> bytes;
    std::atomic<bool> lent = false;
  };
  Block& find(std::uint64_t addr);

  std::deque<Block> blocks_;
  std::atomic<std::size_t> last_ = 0;  ///< where the last access hit: accesses run through a region
};

}  // namespace isthmus
