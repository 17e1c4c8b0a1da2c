#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "isthmus/base/units.hpp"
#include "isthmus/fabric/coherence/messages.hpp"

/// Bytes of memory that are accessed line by line.
namespace isthmus {

/// A stretch of bytes as accesses, of which none goes past the end of its line.
struct LinePieces {
  std::uint64_t from;  ///< address of the first byte
  std::uint64_t bytes;
  std::uint64_t line;  ///< bytes of a line, a power of two

  std::uint64_t count() const { return bytes == 0 ? 0 : 1 + (bytes - first() + line - 1) / line; }
  /// Behind `from`.
  std::uint64_t offset(std::uint64_t number) const { return number == 0 ? 0 : first() + (number - 1) * line; }
  std::uint64_t size(std::uint64_t number) const { return std::min(offset(number + 1), bytes) - offset(number); }

 private:
  std::uint64_t first() const { return std::min(bytes, line - from % line); }
};

/// Memory for so many bytes that nobody else has a line of.
inline Bytes in_whole_lines(std::size_t bytes, int line) {
  const auto of = static_cast<std::size_t>(line);
  return {static_cast<std::int64_t>((bytes + of - 1) / of * of)};
}

/// The first bytes of a result, as a value.
template <class T>
T value_of(const fabric::LineResult& result) {
  T value{};
  std::memcpy(&value, result.data.data(), sizeof(value));
  return value;
}

}  // namespace isthmus
