#pragma once

#include <optional>
#include <span>
#include <vector>

#include "isthmus/application/application.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::program {

/// An application's kernel with its constants and device buffers for some messages, used in turn: what every flow sets
/// up. Host threads that share it have every so manieth message: they launch side by side, each a kernel of its own.
class KernelOnDevice {
 public:
  /// Throws Error where the application has no DeviceKernel, the buffers of that do not hold the messages, or an
  /// argument names one that there is not.
  KernelOnDevice(offload::Device& device, const ByteApplication& application, std::size_t messages,
                 std::size_t threads = 1);

  using Events = offload::Events;
  /// Blocking copies of a message to the device; the first waits for `after`.
  Events write(offload::Queue& queue, int message, std::span<const std::byte> from, Events after = {}) const;
  /// All launches of a message, one after the other; the first waits for `after`.
  Events launch(offload::Queue& queue, int message, Events after = {}) const;
  /// The same of its output to the host.
  Events read(offload::Queue& queue, int message, std::span<std::byte> to, Events after = {}) const;

 private:
  Events read_with_length(offload::Queue& queue, int message, std::span<std::byte> to, Events after) const;
  using Buffers = std::vector<offload::Buffer>;
  using Pinned = std::vector<std::optional<offload::PinnedBuffer>>;
  struct Slot {
    Buffers in;
    Buffers out;
    Pinned pinned_in;  ///< none if the bytes are pageable
    Pinned pinned_out;
  };
  /// What one thread's launches have, one after the other.
  struct Side {
    offload::Kernel kernel;
    Buffers scratch;
  };

  const Slot& slot(int message) const { return slots_[static_cast<std::size_t>(message) % slots_.size()]; }
  const Side& side(int message) const { return sides_[static_cast<std::size_t>(message) % sides_.size()]; }
  std::vector<offload::Argument> arguments(const std::vector<KernelArgument>& of, int message) const;
  void set_up(offload::Device& device, const ByteApplication& application);
  offload::Argument argument(const KernelArgument& of, int message) const;

  DeviceKernel description_;
  std::vector<Side> sides_;  ///< buffers of each host thread
  std::vector<Slot> slots_;
  Buffers constants_;
  std::optional<offload::Buffer> image_;  ///< none if the application keeps nothing in the device's memory
};

}  // namespace isthmus::program
