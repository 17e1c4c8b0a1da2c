#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "isthmus/fabric/dram.hpp"

namespace isthmus::offload::model {

/// Where buffers lie in the device's DRAM: one after the other in each channel, a page at least, buffers going round
/// the channels that kernels use.
class MemoryMap {
 public:
  MemoryMap(Bytes channel_capacity, std::size_t channels);

  /// Throws Error where no channel has room.
  fabric::DeviceAddress take(Bytes size);
  void give_back(fabric::DeviceAddress at, Bytes size);

  std::size_t channels() const { return free_.size(); }
  fabric::DramCells& cells(std::size_t channel) { return cells_[channel]; }

 private:
  using Holes = std::map<std::uint64_t, std::uint64_t>;  ///< length by address

  std::vector<Holes> free_;
  std::vector<fabric::DramCells> cells_;
  std::size_t next_ = 0;
};

}  // namespace isthmus::offload::model
