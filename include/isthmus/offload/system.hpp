#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isthmus/offload/model.hpp"

namespace isthmus::offload {

/// Modelled boards in one host, each link behind a root port of its own: they share the host's memory and nothing else.
/// Buffers, queues and kernels are made on each board's device; the boards run together.
class ModelSystem {
 public:
  virtual ~ModelSystem() = default;
  virtual std::size_t boards() const = 0;
  virtual const std::string& name(std::size_t board) const = 0;
  /// For set-up, and for what came of the last run. A run of its own is beside no other board, and it alone tells what
  /// observes it.
  virtual ModelDevice& device(std::size_t board) = 0;
  /// Runs the bodies of each board, all side by side from one instant on, which is the latest of their clocks. When
  /// one throws, all are ended and the first exception is rethrown.
  virtual void run(std::vector<std::vector<HostThread>> threads) = 0;
};

/// A board of a system and what it is called.
struct SystemBoard {
  std::string name;
  platform::Description platform;  ///< with the links that it is wired by
};

/// Opens boards in one host, which is that of the first: all of them describe the same.
std::unique_ptr<ModelSystem> open_system(const std::vector<SystemBoard>& boards,
                                         const std::vector<KernelModel>& kernels, std::uint64_t seed = 1);

}  // namespace isthmus::offload
