#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/offload/objects.hpp"

/// Buffers and kernels of a modelled device: names for what its machine holds.
namespace isthmus::offload::model {

class ModelBuffer final : public Object {
 public:
  ModelBuffer(fabric::DeviceMemory& map, Bytes size) : map_(map), size_(size), at_(map.take(size)) {}
  ~ModelBuffer() override { map_.give_back(at_, size_); }
  ModelBuffer(const ModelBuffer&) = delete;
  ModelBuffer& operator=(const ModelBuffer&) = delete;
  fabric::DeviceAddress at() const { return at_; }

  bool keeps_staging = false;  ///< the pinned memory that its copies pass through

 private:
  fabric::DeviceMemory& map_;
  Bytes size_;
  fabric::DeviceAddress at_;
};

/// The pinned memory that the application holds.
class PinnedMap {
 public:
  void add(std::span<const std::byte> memory) { held_.push_back(memory); }
  void remove(std::span<const std::byte> memory) {
    std::erase_if(held_, [memory](auto held) { return held.data() == memory.data(); });
  }
  /// Tells whether all of `memory` is pinned.
  bool holds(std::span<const std::byte> memory) const {
    return std::ranges::any_of(held_, [memory](std::span<const std::byte> held) {
      return held.data() <= memory.data() && memory.data() + memory.size() <= held.data() + held.size();
    });
  }

 private:
  std::vector<std::span<const std::byte>> held_;
};

class ModelPinnedBuffer {
 public:
  ModelPinnedBuffer(PinnedMap& map, std::size_t bytes) : map_(map), memory_(bytes) { map_.add(memory_); }
  ~ModelPinnedBuffer() { map_.remove(memory_); }
  ModelPinnedBuffer(const ModelPinnedBuffer&) = delete;
  ModelPinnedBuffer& operator=(const ModelPinnedBuffer&) = delete;
  std::span<std::byte> bytes() { return memory_; }

 private:
  PinnedMap& map_;
  std::vector<std::byte> memory_;
};

class ModelKernel final : public Object {
 public:
  /// The `index`th on the FPGA.
  explicit ModelKernel(std::size_t index) : index_(index) {}
  std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

/// The commands of a queue, in their order: how many there were, and of how many its thread knows that they have ended.
struct QueueProgress {
  std::int64_t enqueued = 0;
  std::int64_t finished = 0;
};

}  // namespace isthmus::offload::model
