#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "isthmus/stream.hpp"

namespace isthmus::program {

/// An application's data in the device's memory; they lie there before the first message.
struct MemoryImage {
  std::uint64_t bytes = 0;
  /// Writes what the image holds from byte `offset` on. Called for stretch after stretch, once before a run.
  std::function<void(std::uint64_t offset, std::span<std::byte> stretch)> fill{};
};

/// Reads of single words at random places (Little's law needs both).
struct RandomReads {
  Time latency;       ///< time of one access while memory is idle
  double per_second;  ///< most accesses a second that memory serves, of all masters together
};

/// The way in which an actor of a kernel reaches the device's memory.
struct MemoryMaster {
  std::string name;  ///< name of the actor's way to memory in reports
  int under_way;     ///< bursts that the actor may have under way (a word by itself counts as one)
  int fifo = 64;     ///< words that may wait in front of the actor, and behind it
};

/// The device's memory where a kernel's actors are: of a modelled board, or of this machine.
class DeviceMemoryEnds {
 public:
  virtual ~DeviceMemoryEnds() = default;
  /// Ties an actor that reads: the words of its requests come in the order of the requests.
  virtual void connect(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) = 0;
  /// Ties one that writes.
  virtual void connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) = 0;
  /// The address at which the application's image begins.
  virtual std::uint64_t image() const = 0;
  virtual RandomReads random_reads() const = 0;
};

/// The least number of accesses under way that keeps up `per_second` of them (Little's law), and one word more for what
/// is handed on at the moment.
int depth_to_cover(const RandomReads& reads);

}  // namespace isthmus::program
