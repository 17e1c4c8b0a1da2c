#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "isthmus/fabric/dram.hpp"

namespace isthmus::fabric {

/// The bytes of a device's memory, and where buffers lie in them: one after the other in each channel, a page at least,
/// buffers going round the channels that kernels use.
class DeviceMemory {
 public:
  DeviceMemory(Bytes channel_capacity, std::size_t channels);
  /// A view of the bytes of `seen`, which must outlive it; writes to the view are dropped.
  static DeviceMemory dropping_writes(const DeviceMemory& seen);

  /// Throws Error where no channel has room.
  DeviceAddress take(Bytes size);
  void give_back(DeviceAddress at, Bytes size);

  std::size_t channels() const { return free_.size(); }
  /// Bytes of a channel, in whole pages.
  std::uint64_t channel_bytes() const { return channel_bytes_; }
  DramCells& cells(std::size_t channel) { return cells_[channel]; }

 private:
  using Holes = std::map<std::uint64_t, std::uint64_t>;  ///< lengths of free ranges by address, bytes

  std::uint64_t channel_bytes_;
  std::vector<Holes> free_;
  std::vector<DramCells> cells_;
  std::size_t next_ = 0;
};

}  // namespace isthmus::fabric
