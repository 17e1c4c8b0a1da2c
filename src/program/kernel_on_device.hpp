#pragma once

#include <memory>
#include <span>
#include <vector>

#include "isthmus/offload/device.hpp"
#include "isthmus/program/application.hpp"

namespace isthmus::program {

/// An application's kernel with its constants and device buffers for some messages, used in turn: what every flow sets
/// up.
class KernelOnDevice {
 public:
  /// Throws Error where the application has no DeviceKernel, the buffers of that do not hold the messages, or an
  /// argument names one that there is not.
  KernelOnDevice(offload::Device& device, const ByteApplication& application, std::size_t messages);

  using Events = std::vector<offload::Event>;
  /// Blocking copies of a message to the device; the first waits for `after`.
  Events write(offload::Host& host, offload::Queue& queue, int message, std::span<const std::byte> from,
               Events after = {}) const;
  /// All launches of a message, one after the other; the first waits for `after`.
  Events launch(offload::Host& host, offload::Queue& queue, int message, Events after = {}) const;
  /// The same of its output to the host.
  Events read(offload::Host& host, offload::Queue& queue, int message, std::span<std::byte> to,
              Events after = {}) const;

 private:
  using Buffers = std::vector<std::unique_ptr<offload::Buffer>>;
  struct Slot {
    Buffers in;
    Buffers out;
  };

  const Slot& slot(int message) const { return slots_[static_cast<std::size_t>(message) % slots_.size()]; }
  std::vector<offload::Argument> arguments(const std::vector<KernelArgument>& of, const Slot& slot) const;
  void set_up(offload::Device& device, const ByteApplication& application);
  offload::Argument argument(const KernelArgument& of, const Slot& slot) const;

  DeviceKernel description_;
  std::unique_ptr<offload::Kernel> kernel_;
  std::vector<Slot> slots_;
  Buffers constants_;
  Buffers scratch_;
  std::unique_ptr<offload::Buffer> image_;  ///< none where the application keeps nothing there
};

}  // namespace isthmus::program
