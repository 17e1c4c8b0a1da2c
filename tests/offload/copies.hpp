#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/noise.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::offload {

/// Bytes that a host thread writes to a buffer of their own and reads back, by a queue of their own.
struct Copies {
  Buffer buffer;
  std::vector<std::byte> sent;
  std::vector<std::byte> back;
  std::unique_ptr<Queue> queue;  // goes first: it waits for the commands that use the memory

  Copies(Device& device, std::size_t size, unsigned seed = 1)
      : buffer(device.buffer(size)), sent(noise(size, seed)), back(size), queue(device.queue()) {}
  Event start_write(const Events& after = {}) const { return queue->start_write(buffer, 0, sent, after); }
  Event start_read(const Events& after = {}) { return queue->start_read(buffer, 0, back, after); }
  Event write() const {
    Event written = start_write();
    written.wait();
    return written;
  }
  void read() { queue->read(buffer, 0, back); }
};

}  // namespace isthmus::offload
