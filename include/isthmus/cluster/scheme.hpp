#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "isthmus/cluster/ranks.hpp"
#include "isthmus/offload/device.hpp"

/// Communication schemes: how bytes go from the memory of one rank's device to that of another's.
namespace isthmus::cluster {

/// A stretch of a device buffer.
struct Piece {
  const offload::Buffer& buffer;
  std::size_t offset;
  std::size_t bytes;
};

class Scheme {
 public:
  Scheme() = default;
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;
  virtual ~Scheme() = default;

  /// A series of exchanges between these buffers begins: until `end` and `finish` no command touches them.
  virtual void begin(const offload::Buffer& /*out*/, const offload::Buffer& /*in*/) {}
  /// Sends `out` to one rank and receives `in` from another at the same time; returns when the bytes of `out` have been
  /// read and those of `in` are on this host.
  virtual void exchange(const Piece& out, int to, const Piece& in, int from) = 0;
  /// The last exchange of the series has been made; the buffers start on their way back to the device.
  virtual void end() {}
  /// Returns when the bytes of all exchanges are in the device's memory, and after `end` the buffers are the device's.
  /// Every rank calls it after its last exchange, as others may wait for the memory that they came in.
  virtual void finish() {}
};

/// The one that is fastest between these ranks, all of which ask, on their devices.
std::string best_scheme(offload::Device& device, const Ranks& ranks);

/// Throws Error unless it is the name of a scheme: `staged`, `pipelined`, `shared`, `mapped`, and `cpu`, by which
/// devices take no part.
void require_scheme(const std::string& name);
/// Throws Error that says why this device cannot have a scheme that there is.
[[noreturn]] void refuse_scheme(const std::string& name, offload::Device& device);

/// The scheme `name` between these ranks, which all make it at once, for messages of at most `largest` bytes; all throw
/// Error where the ranks or a device cannot have it, and for `cpu`, which moves no device's bytes.
std::unique_ptr<Scheme> make_scheme(const std::string& name, offload::Device& device, const Ranks& ranks,
                                    std::size_t largest);

}  // namespace isthmus::cluster
