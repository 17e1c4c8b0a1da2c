#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "isthmus/application/device_memory.hpp"
#include "isthmus/stream.hpp"

namespace isthmus::program {

/// An application's data in the host's memory for its kernel, whose actors read and write it over the link by
/// themselves.
struct HostImage {
  MemoryImage memory{};
  /// Looks at what is there after a run; throws Error where it is not what it should be.
  std::function<void(std::span<const std::byte> image)> left{};
};

/// The way in which an actor of a kernel reaches the host's memory.
struct HostMaster {
  std::string name;  ///< name of the actor's way to memory in reports
  /// Reads of stream.request_size that it may have under way, each with its room in the reply buffer; 0: as many as the
  /// board gives every reader (stream.requests_in_flight).
  int requests = 0;
  int fifo = 64;  ///< words that may wait in front of the actor, and behind it
};

/// Reads of host memory that follow each other over a link.
struct LinkReading {
  Bytes request;    ///< bytes of a request (T in stacc V-C)
  Bandwidth rate;   ///< payload rate of the requests' completions, with nothing else on the link
  Time round_trip;  ///< time from a request to its first word
};

/// Bytes of the reply buffer that keep up the link's rate: a request, and what comes while the next is on its way
/// there and back, T + rate x round trip (Little's law). stacc V-C has 2 T, which is as much where T is rate x round
/// trip.
Bytes reply_buffer(const LinkReading& link);
/// The requests that fill this reply buffer, rounded up.
int requests_to_cover(const LinkReading& link);
/// The rate of `requests` in flight: each comes back after a round trip and its own time on the link.
Bandwidth rate_through(const LinkReading& link, int requests);

/// The host's memory where a kernel's actors are: behind a modelled link, or of this machine.
class HostMemoryEnds {
 public:
  virtual ~HostMemoryEnds() = default;
  /// Ties an actor that reads: the words of its requests come in the order of the requests.
  virtual void connect(const HostMaster& master, Out<PcieReadReq>& requests, In<PcieReadResp>& words) = 0;
  /// Ties one that writes. It hears of each write that is on its way to the host in front of all that is sent later:
  /// who then sees a flag that is written after that sees the words of the write too.
  virtual void connect(const HostMaster& master, Out<PcieWriteApply>& requests, Out<PcieWriteData>& words,
                       In<PcieWriteDone>& written) = 0;
  /// The address at which the application's image begins.
  virtual std::uint64_t image() const = 0;
  /// None if no link lies between.
  virtual std::optional<LinkReading> link() const = 0;
};

}  // namespace isthmus::program
