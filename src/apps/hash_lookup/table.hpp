#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isthmus/stream.hpp"

/// A chained hash table in device memory (stacc VI-B2).
namespace isthmus::apps {

using Key = std::uint64_t;
using Value = std::uint64_t;

/// The value of a look-up for a key that is not there.
inline constexpr Value kAbsent = 0;

/// An entry, 64 bytes as stacc has it: one word of memory. Nothing lies in the rest.
struct TableEntry {
  static constexpr std::uint64_t kLast = ~std::uint64_t{0};

  Key key;
  Value value;
  std::uint64_t next;  ///< index of the chain's next entry; kLast: none
  std::uint64_t unused[5];
};
static_assert(sizeof(TableEntry) == kWordBytes);

/// The beginning of a key's chain: a bucket's first entry lies at its number. Multiplicative hashing (Knuth, The Art of
/// Computer Programming 3, 6.4); a high half in place of a remainder takes any number of buckets.
inline constexpr std::uint64_t kHashMultiplier = 0x9e3779b97f4a7c15U;
inline std::uint64_t bucket_of(Key key, std::uint64_t buckets) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{key * kHashMultiplier} * buckets) >> 64U);
}

struct Pair {
  Key key;
  Value value;
};

/// A table whose contents follow from its size and a seed, so that each stretch of it can be written by itself: every
/// chain is as long as the others, 2 lambda - 1 entries, of which a look-up of a key drawn evenly takes lambda. Behind
/// the buckets lie all second entries of chains, then all third ones, each in another order.
class EvenTable {
 public:
  /// A table of at least `entries` entries; lambda 1, 2 or 3.
  EvenTable(std::uint64_t entries, int lambda, std::uint64_t seed);

  std::uint64_t pairs() const { return buckets_ * chain_; }
  std::uint64_t buckets() const { return buckets_; }
  std::uint64_t bytes() const { return pairs() * sizeof(TableEntry); }

  /// Number 0 to pairs() - 1; no two keys are equal.
  Pair pair(std::uint64_t number) const;
  /// The number of entries that a look-up of that pair's key reads.
  int accesses(std::uint64_t number) const { return static_cast<int>(number % chain_) + 1; }
  /// The table from byte `offset`, a multiple of an entry's size, on.
  void write(std::uint64_t offset, std::span<std::byte> stretch) const;

 private:
  std::uint64_t place(std::uint64_t number) const;
  std::uint64_t number_at(std::uint64_t place) const;

  std::uint64_t chain_;
  std::uint64_t buckets_;
  std::uint64_t seed_;
  std::uint64_t stride_ = 1;  ///< distance between the second entries of neighbouring chains, modulo the table
  std::uint64_t back_ = 1;    ///< inverse of `stride_`
};

/// A table of pairs that are given, in chains as their hashes fall; the number of buckets is chosen so that the look-up
/// of a key takes about lambda accesses on average. No two keys are equal.
class ChainedTable {
 public:
  ChainedTable(std::span<const Pair> pairs, int lambda);

  std::uint64_t buckets() const { return buckets_; }
  std::uint64_t bytes() const { return entries_.size() * sizeof(TableEntry); }
  std::span<const TableEntry> entries() const { return entries_; }
  /// The number of entries that the look-up of `key` reads.
  int accesses(Key key) const;
  void write(std::uint64_t offset, std::span<std::byte> stretch) const;

 private:
  std::uint64_t buckets_;
  std::vector<TableEntry> entries_;
};

}  // namespace isthmus::apps
