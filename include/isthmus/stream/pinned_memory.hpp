#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  struct Block;

 public:
  /// A region that a host thread works in; its bytes stay as long, whatever becomes of the rest.
  class Loan {
   public:
    explicit Loan(std::shared_ptr<Block> block) : block_(std::move(block)) { block_->lent = true; }
    Loan(Loan&& other) noexcept = default;
    Loan& operator=(Loan&& other) noexcept {
      end();
      block_ = std::move(other.block_);
      return *this;
    }
    ~Loan() { end(); }
    void end() {
      if (block_ != nullptr) block_->lent = false;
      block_.reset();
    }

   private:
    std::shared_ptr<Block> block_;
  };

  struct Region {
    std::uint64_t addr;
    std::span<std::byte> bytes;
  };

  PinnedMemory();

  /// Zeroed memory, of which the system finds a page when it is touched first: a model of large buffers with little in
  /// them starts at once. Before the run only; other regions stay where they are. Throws std::bad_alloc.
  Region allocate(Bytes size);

  /// Addresses for regions that are made while a run goes on: what lies there depends on nothing but who has them.
  struct Addresses {
    std::uint64_t next;
    std::uint64_t end;
  };
  /// Before the run only.
  Addresses reserve();
  /// The same as `allocate`, at the next of `addresses`. Throws Error where they end.
  Region allocate(Bytes size, Addresses& addresses);

  /// Gives back the memory of a region that nobody holds or asks for any more; its addresses are not used again.
  void release(const Region& region);
  /// The bytes of all regions that there are.
  Bytes allocated() const;

  /// May be called from any thread.
  Loan lend(std::uint64_t addr) { return Loan(find(addr)); }
  /// The number of regions that are lent now.
  std::size_t lent() const;

  /// The device's address of `addr`; throws Error if those bytes are not its to touch.
  std::byte* at(std::uint64_t addr, std::int64_t bytes);

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  using Storage = std::unique_ptr<std::byte[], Free>;
  struct Block {
    Block(std::uint64_t at, std::int64_t length, Storage all);
    std::uint64_t addr;
    std::int64_t size;
    Storage storage;
    std::byte* bytes;  ///< the bytes here, at a multiple of 64 like their address
    std::atomic<bool> lent = false;
  };
  const std::shared_ptr<Block>& find(std::uint64_t addr);

  std::deque<std::shared_ptr<Block>> blocks_;
  Addresses common_;
  std::uint64_t reserved_;             ///< every address below this belongs to somebody
  std::atomic<std::size_t> last_ = 0;  ///< region that the last access hit: accesses run through a region
};

}  // namespace isthmus
