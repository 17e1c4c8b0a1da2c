#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <unordered_map>
#include <vector>

#include "apps/hash_lookup/table.hpp"

/// The keys that are looked up, and the values that they should give.
namespace isthmus::apps {

/// The distribution of keys over a table of generated pairs.
enum class KeyDraw : std::uint8_t { uniform, zipf };

/// Numbers below `items`, the small ones most often: number k with a share of 1 / (k + 1)^0.99, as YCSB draws them
/// (Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994, 3.2).
class Zipf {
 public:
  explicit Zipf(std::uint64_t items);
  /// The number for `u`, drawn evenly from [0, 1).
  std::uint64_t number(double u) const;

  static constexpr double kTheta = 0.99;

 private:
  double items_;
  double zeta_;
  double eta_;
};

/// Look-ups of a run. Messages take them in their order, round and round.
class LookUps {
 public:
  /// `count` at most that are drawn of the table's pairs; a Zipfian's are scattered over the table, as in YCSB.
  LookUps(const EvenTable& table, KeyDraw draw, std::uint64_t count, std::uint64_t seed);
  /// Each of `keys`; the table holds `pairs`.
  LookUps(const ChainedTable& table, std::span<const Pair> pairs, std::vector<Key> keys);

  void fill(int message, std::span<Key> keys) const;
  /// The values that a std::unordered_map of the table's pairs gives.
  void expect(std::span<const Key> keys, std::span<Value> values) const;
  /// Entries that a look-up reads, on average.
  double accesses() const { return accesses_; }

 private:
  std::vector<Key> keys_;
  std::unordered_map<Key, Value> map_;
  double accesses_ = 0;
};

/// A text as look-ups: a key for each of its words, the value of which is the word's number among the different ones,
/// from 1 on.
struct Words {
  std::vector<Pair> pairs;
  std::vector<Key> keys;
};
/// Throws Error where the file cannot be read or holds no word.
Words read_words(const std::filesystem::path& file);

}  // namespace isthmus::apps
