#pragma once

#include <cstdint>
#include <span>

#include "isthmus/fabric/coherence/line_store.hpp"
#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric {

/// The lines that a core finds in a cache and the DRAM behind it, and leaves there, while nothing runs and no other
/// cache has any of them: states and bytes are those that the same accesses leave in virtual time, one after the other.
class RestingLines {
 public:
  /// `line` is the size of a line in bytes; line n lies at byte n * line.
  RestingLines(LineStore& cache, DramCells& memory, int line) : cache_(cache), memory_(memory), line_(line) {}

  /// Writes a whole line, which the cache keeps or not.
  void write(std::uint64_t line, std::span<const std::byte> from, bool kept);
  void read(std::uint64_t line, std::span<std::byte> to);
  /// The cache gives the line up; what it has modified goes to memory.
  void flush(std::uint64_t line);

 private:
  LineStore::Way& make_way(std::uint64_t line);
  void give_up(LineStore::Way& way);
  std::span<std::byte> bytes(const LineStore::Way& way) { return {cache_.bytes(way), static_cast<std::size_t>(line_)}; }
  std::uint64_t address(std::uint64_t line) const { return line * static_cast<std::uint64_t>(line_); }

  LineStore& cache_;
  DramCells& memory_;
  int line_;
};

}  // namespace isthmus::fabric
