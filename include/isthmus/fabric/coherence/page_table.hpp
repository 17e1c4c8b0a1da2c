#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/stream/pinned_memory.hpp"

namespace isthmus::fabric {

struct PageTableSpec {
  std::int64_t entries = 1024;
  Bytes page{std::int64_t{2} << 20U};  ///< size of a page, a power of two
};

/// What bounds the memory that a circuit shares.
struct SharedSpaceSpec {
  std::string board{};                   ///< the file that errors name
  std::optional<PageTableSpec> table{};  ///< without it the circuit uses the host's addresses
  std::optional<Bytes> capacity{};       ///< of the host's memory, where it is known
};

/// Finds a circuit's pages that nobody has entered before.
struct PageWalkSpec {
  std::size_t held = 256;  ///< pages whose translations are held
  Time latency;            ///< time to find the translation of another page
};

/// The pages whose place is known: those asked for last.
class HeldPages {
 public:
  explicit HeldPages(std::size_t most) : most_(most) {}

  /// Tells whether a page is one of them; if not it becomes one, in place of the one asked for least recently.
  bool ask(std::uint64_t page);

 private:
  struct Held {
    std::uint64_t page;
    std::uint64_t used;
  };
  std::size_t most_;
  std::uint64_t uses_ = 0;
  std::size_t last_ = 0;
  std::vector<Held> held_;
};

/// Memory of the host that a circuit addresses as one space from 0 on, in pinned pages wherever they lie. The driver
/// has entered them all before the circuit starts (choi2019 2.1), so that no access misses.
class SharedSpace {
 public:
  SharedSpace(PinnedMemory& memory, SharedSpaceSpec spec)
      : memory_(memory),
        board_(std::move(spec.board)),
        table_(spec.table),
        capacity_(spec.capacity),
        shift_(table_ ? std::countr_zero(static_cast<std::uint64_t>(table_->page.count)) : 0) {}

  /// The address of `size` zeroed bytes, from a page on, less those that the caller `has` at the end of its last page.
  /// Throws Error naming the keys where the table has not enough entries left, or the host's memory not enough bytes.
  std::uint64_t allocate(Bytes size, Bytes has = {});
  /// The host address of a circuit's address. Throws Error for one that no page holds.
  std::uint64_t physical(std::uint64_t address) const {
    if (!table_) return address;
    const std::uint64_t page = address >> shift_;
    if (page >= frames_.size()) refuse(address);
    return frames_[page] + (address & (static_cast<std::uint64_t>(table_->page.count) - 1));
  }
  /// The bytes behind a circuit's address in memory, whatever caches hold of them; within a page.
  std::span<std::byte> bytes(std::uint64_t address, std::int64_t count) {
    return {memory_.at(physical(address), count), static_cast<std::size_t>(count)};
  }
  /// Writes bytes to a circuit's address, over as many pages as they take.
  void copy_in(std::uint64_t address, std::span<const std::byte> from);
  /// The number of the page that an address lies in; 0 without a table.
  std::uint64_t page_of(std::uint64_t address) const { return table_ ? address >> shift_ : 0; }
  /// The number of bytes from `address` to the end of its page.
  std::uint64_t left_in_page(std::uint64_t address) const;

 private:
  [[noreturn]] static void refuse(std::uint64_t address);
  void require_room(Bytes size, Bytes has) const;

  PinnedMemory& memory_;
  std::string board_;
  std::optional<PageTableSpec> table_;
  std::optional<Bytes> capacity_;
  int shift_;               ///< right shift that turns an address into its page number
  std::int64_t taken_ = 0;  ///< bytes of the host's memory
  std::vector<std::uint64_t> frames_;
};

}  // namespace isthmus::fabric
