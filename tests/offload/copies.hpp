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
      : buffer(device.allocate({static_cast<std::int64_t>(size)})),
        sent(noise(size, seed)),
        back(size),
        queue(device.queue()) {}
  Event write(Host& host, Call call = Call::blocking, std::vector<Event> after = {}) const {
    return host.write(*queue, buffer, sent, call, std::move(after));
  }
  Event read(Host& host, Call call = Call::blocking, std::vector<Event> after = {}) {
    return host.read(*queue, buffer, back, call, std::move(after));
  }
};

}  // namespace isthmus::offload
