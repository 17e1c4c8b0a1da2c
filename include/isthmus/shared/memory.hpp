#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/shared/address.hpp"
#include "isthmus/shared/run.hpp"

namespace isthmus {

/// Messages that a CPU may send to a circuit side by side, each in a line of its own.
inline constexpr int kMessages = 8;

/// A status word, or a message, as it lies in its line.
struct StatusWord {
  std::uint64_t value;
};
struct MessageWords {
  std::uint64_t number;  ///< number of the message in this line, counted from 1
  std::uint64_t value;
};

/// The memory of a host that a board's circuits share: pinned pages, of which a circuit has one space of addresses. Its
/// first lines hold the status word and the messages, so that no object has address 0.
///
/// Its bytes are the program's until a machine runs; then they are its caches', which give them back at the end.
class SharedMemory {
 public:
  explicit SharedMemory(const platform::SharedSpec& spec);

  /// The address of so many zeroed bytes, a multiple of `alignment` (a power of two within a page) and of a line.
  /// Throws Error naming the keys where the page table or the host's memory does not hold them, and while a machine
  /// runs.
  std::uint64_t allocate(Bytes size, std::uint64_t alignment = 1);
  /// Gives an object's memory back: at once, or, while a machine runs, at the end of the run.
  void release(std::uint64_t address, Bytes size);

  /// The bytes behind an address, within a page. Throws Error for an address that no page holds, and while a machine
  /// runs.
  std::span<std::byte> bytes(std::uint64_t address, std::int64_t count);
  /// The object at an address; errors as for `bytes`.
  template <class T>
  T& object(Address<T> address) {
    return *reinterpret_cast<T*>(bytes(address.value, sizeof(T)).data());
  }

  std::uint64_t line() const { return line_; }
  Address<StatusWord> status() const { return {first_}; }
  Address<MessageWords> message(int number) const {
    return {first_ + (1 + static_cast<std::uint64_t>(number)) * line_};
  }

  // What a machine is built of.
  PinnedSpace& pages() { return pages_; }
  const fabric::SharedSpace& space() const { return pages_.space; }
  void lend(bool to_caches);
  /// Status word and messages as at first.
  void clear_own();

 private:
  using Free = std::map<std::uint64_t, std::uint64_t>;  ///< lengths of free ranges by address, bytes

  void grow(std::uint64_t size);
  void give(std::uint64_t address, std::uint64_t size);
  std::uint64_t lines(Bytes size) const;
  void clear(std::uint64_t address, std::uint64_t size);

  std::string board_;
  std::optional<fabric::PageTableSpec> table_;
  std::uint64_t line_;
  PinnedSpace pages_;
  Free free_;
  std::uint64_t end_ = 0;    ///< address of the first byte behind the pages that the table holds
  std::uint64_t first_ = 0;  ///< address of the status word's line; the lines of messages follow it
  bool lent_ = false;
  std::vector<std::pair<std::uint64_t, Bytes>> released_;  ///< what was released since it was lent
};

}  // namespace isthmus
