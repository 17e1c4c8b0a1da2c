#pragma once

#include <cstdint>

#include "isthmus/base/units.hpp"
#include "isthmus/fabric/tags.hpp"

namespace isthmus::fabric {

/// The host's last-level cache as devices see it.
struct HostCacheSpec {
  Bytes size;
  Bytes line{64};
  int ways = 16;
  int write_ways = 2;  ///< ways of these that devices' writes may fill
  Time hit;            ///< time of a read of lines that the cache holds, from the root complex and back
  Time miss;           ///< time of a read of other lines, with their bytes from memory
};

/// The lines that devices have written and that are in the cache. A device's write stays in the lines that are held and
/// fills others in the ways that it may use; lines that make way go to memory. A device's read leaves the lines as they
/// are, in the cache or not. Reads and writes of host software are not modelled here.
class HostCache {
 public:
  /// It has as many whole sets as its size has room for. Throws Error where that is none.
  explicit HostCache(const HostCacheSpec& spec);

  /// The bytes of a read that memory has to move: those of lines that are not held.
  std::int64_t read(std::uint64_t addr, std::int64_t bytes);
  /// The bytes that a write moves to memory: whole lines that make way.
  std::int64_t write(std::uint64_t addr, std::int64_t bytes);

  Time hit() const { return spec_.hit; }
  Time miss() const { return spec_.miss; }

 private:
  struct Line {
    bool held = false;
  };
  HostCacheSpec spec_;
  Tags<Line> lines_;
};

}  // namespace isthmus::fabric
