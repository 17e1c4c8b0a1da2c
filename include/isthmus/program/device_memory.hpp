#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "isthmus/stream.hpp"

namespace isthmus::program {

/// What an application keeps in the device's memory: it lies there before the first message.
struct MemoryImage {
  std::uint64_t bytes = 0;
  /// Writes what the image holds from byte `offset` on. Called for stretch after stretch, once before a run.
  std::function<void(std::uint64_t offset, std::span<std::byte> stretch)> fill{};
};

/// Reads of single words at random places (Little's law needs both).
struct RandomReads {
  Time latency;       ///< of one while memory is idle
  double per_second;  ///< the most that memory lets through, whoever asks
};

/// How an actor of a kernel reaches the device's memory.
struct MemoryMaster {
  std::string name;  ///< what reports call its way there
  int under_way;     ///< bursts (one for a word by itself) that it may have under way
  int fifo = 64;     ///< words that wait in front of it or behind it
};

/// The device's memory where a kernel's actors are: of a modelled board, or of this machine.
class DeviceMemoryEnds {
 public:
  virtual ~DeviceMemoryEnds() = default;
  /// Ties an actor that reads: the words of its requests come in the order of the requests.
  virtual void connect(const MemoryMaster& master, Out<DramReadReq>& requests, In<DramReadResp>& words) = 0;
  /// Ties one that writes.
  virtual void connect(const MemoryMaster& master, Out<DramWriteApply>& requests, Out<DramWriteData>& words) = 0;
  /// Where the application's image begins.
  virtual std::uint64_t image() const = 0;
  virtual RandomReads random_reads() const = 0;
};

/// The least number of accesses under way that keeps up `per_second` of them (Little's law), and one word more for what
/// is handed on at the moment.
int depth_to_cover(const RandomReads& reads);

}  // namespace isthmus::program
