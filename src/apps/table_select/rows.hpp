#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "isthmus/stream/vocabulary.hpp"

/// Rows of a table, and which of them a selection keeps.
namespace isthmus::apps {

/// A row is a word of the kernel: its key, 64 bit with sign, little-endian, and 56 bytes that it carries.
inline constexpr std::size_t kRowBytes = 64;
static_assert(kRowBytes == kWordBytes);

/// The key of a row that has none (NULL), which no selection keeps.
inline constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::max();

inline std::int64_t row_key(std::span<const std::byte, kRowBytes> row) {
  std::int64_t key = 0;
  std::memcpy(&key, row.data(), sizeof(key));
  return key;
}

/// Keeps the rows with keys below a bound, and counts.
class Selection {
 public:
  explicit Selection(std::int64_t below) : below_(below) {}

  /// Tells whether the next row is kept.
  bool keeps(std::span<const std::byte, kRowBytes> row) {
    ++scanned_;
    const bool kept = row_key(row) < below_;
    kept_ += kept ? 1 : 0;
    return kept;
  }
  /// What follows the rows that were kept: 64 bit each of their bytes, and of how many rows were looked at. The next
  /// row is another message's.
  Word end() {
    Word word{};
    const std::uint64_t bytes = kept_ * kRowBytes;
    std::memcpy(word.bytes.data(), &bytes, sizeof(bytes));
    std::memcpy(word.bytes.data() + sizeof(bytes), &scanned_, sizeof(scanned_));
    kept_ = scanned_ = 0;
    return word;
  }

 private:
  std::int64_t below_;
  std::uint64_t kept_ = 0;
  std::uint64_t scanned_ = 0;
};

}  // namespace isthmus::apps
