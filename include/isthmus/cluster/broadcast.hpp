#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "isthmus/cluster/ranks.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::cluster {

/// The ways from one rank's device memory into those of the others' devices: the communication schemes of scheme.hpp
/// for one that sends and many that receive.
class Broadcast {
 public:
  Broadcast() = default;
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;
  virtual ~Broadcast() = default;

  /// The first `bytes` of the root's buffer, into that of every rank; behind what `queue` has been given before, and
  /// before what it is given later.
  virtual void send(offload::Queue& queue, const offload::Buffer& buffer, std::size_t bytes, int root) = 0;
};

/// The broadcast by the scheme `staged`, `pipelined`, `shared` or `mapped` between these ranks, which all make it at
/// once, for at most `largest` bytes. All throw Error for another scheme, and if the ranks or a device cannot have it.
std::unique_ptr<Broadcast> make_broadcast(const std::string& scheme, offload::Device& device, const Ranks& ranks,
                                          std::size_t largest);

}  // namespace isthmus::cluster
