#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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

  void lend(std::uint64_t addr) { find(addr).lent = true; }
  void give_back(std::uint64_t addr) { find(addr).lent = false; }

  /// Where the device finds `addr`; throws Error if those bytes are not its to touch.
  std::byte* at(std::uint64_t addr, std::int64_t bytes);

 private:
  struct Block {
    std::uint64_t addr;
    std::int64_t size;
    std::unique_ptr<std::byte[]> bytes;
    bool lent = false;
  };
  Block& find(std::uint64_t addr);

  std::vector<Block> blocks_;
  std::size_t last_ = 0;  ///< where the last access hit: accesses run through a region
};

}  // namespace isthmus
