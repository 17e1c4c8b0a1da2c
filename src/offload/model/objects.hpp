#pragma once

#include "isthmus/fabric/axi.hpp"
#include "isthmus/offload/device.hpp"
#include "offload/model/memory_map.hpp"

/// Buffers, kernels, queues and mailboxes of a modelled device: names for what its machine holds.
namespace isthmus::offload::model {

class ModelBuffer final : public Buffer {
 public:
  ModelBuffer(MemoryMap& map, Bytes size) : map_(map), size_(size), at_(map.take(size)) {}
  ~ModelBuffer() override { map_.give_back(at_, size_); }
  ModelBuffer(const ModelBuffer&) = delete;
  ModelBuffer& operator=(const ModelBuffer&) = delete;
  Bytes size() const override { return size_; }
  fabric::DeviceAddress at() const { return at_; }

 private:
  MemoryMap& map_;
  Bytes size_;
  fabric::DeviceAddress at_;
};

struct ModelKernel final : Kernel {};

class ModelQueue final : public Queue {
 public:
  explicit ModelQueue(int id) : id_(id) {}
  int id() const { return id_; }

 private:
  int id_;
};

class ModelMailbox final : public Mailbox {
 public:
  ModelMailbox(int id, std::size_t depth) : id_(id), depth_(static_cast<int>(depth)) {}
  int id() const { return id_; }
  int depth() const { return depth_; }

 private:
  int id_;
  int depth_;
};

}  // namespace isthmus::offload::model
