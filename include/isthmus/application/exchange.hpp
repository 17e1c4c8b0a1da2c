#pragma once

#include <cstddef>
#include <span>

namespace isthmus::program {

/// The place where a flow finds its messages and leaves their outputs. `input` is called by the host thread that sends,
/// `output` and `finished` by the one that receives. A host thread has its messages in their order, at most four of
/// them under way; threads that share a device have messages of their own each, which end in any order.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The bytes of a message; they stay as they are until it is finished.
  virtual std::span<const std::byte> input(int message) = 0;
  virtual std::span<std::byte> output(int message) = 0;
  /// The output of `message` is complete.
  virtual void finished(int message) = 0;

  /// The work that a host thread between copies does first and last for a message: it may have to wait for it, or hand
  /// on what came of it.
  virtual void begin(int /*message*/) {}
  virtual void end(int message) { finished(message); }
};

}  // namespace isthmus::program
