#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace isthmus::bench {

/// An entry of the table that both sides look up (src/apps/hash_lookup).
struct Entry {
  std::uint64_t key;
  std::uint64_t value;
  std::uint64_t next;
  std::uint64_t unused[5];
};

/// A chained table in memory and who looks keys up in it by hand: 64 look-ups under way in a ring, each with the entry
/// that it waits for prefetched, and its values in the order of the keys.
void look_up_prefetched(std::span<const Entry> table, std::uint64_t buckets, std::span<const std::uint64_t> keys,
                        std::span<std::uint64_t> values);

/// A map of other people's.
class Map {
 public:
  virtual ~Map() = default;
  virtual void look_up(std::span<const std::uint64_t> keys, std::span<std::uint64_t> values) const = 0;
};

std::unique_ptr<Map> boost_map(std::span<const Entry> table);
/// None where Abseil is not installed.
std::unique_ptr<Map> abseil_map(std::span<const Entry> table);

}  // namespace isthmus::bench
