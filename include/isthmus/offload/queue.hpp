#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/objects.hpp"

/// A device as a benchmark uses it: programs with build options, ND-ranges, copies of any part of a buffer, the
/// device's own timer, a share of a device. One interface, two back ends: a real OpenCL device, whose clock is the
/// wall, and the modelled machine behind a Device (device.hpp), whose clock is virtual. Nothing here may outlive its
/// ComputeDevice.
namespace isthmus::offload {

class Device;

/// The `index`th of `count` equal parts of a device's compute units; the whole device by default.
struct DevicePart {
  int index = 0;
  int count = 1;
};

/// Work-items; a local size of 0 leaves the choice to the driver.
struct NdRange {
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{0, 0, 0};

  /// The range of a kernel that is written as one work-item.
  static NdRange single() { return {.global = {1, 1, 1}, .local = {1, 1, 1}}; }
};

/// The time at which a command ran, in nanoseconds of the device's own timer.
struct DeviceSpan {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// A back end's state of a command.
class ComputeCommand {
 public:
  virtual ~ComputeCommand() = default;
  /// Blocks until it is complete; throws Error if it failed.
  virtual void wait() const = 0;
  /// The times of a command that is complete.
  virtual DeviceSpan span() const = 0;
  /// The time at which it came to its queue, in nanoseconds of the device's own timer.
  virtual std::uint64_t queued() const = 0;
};

/// One enqueued command.
class ComputeEvent {
 public:
  explicit ComputeEvent(std::shared_ptr<const ComputeCommand> command) : command_(std::move(command)) {}
  void wait() const { command_->wait(); }
  DeviceSpan span() const { return command_->span(); }
  std::uint64_t queued() const { return command_->queued(); }
  const ComputeCommand& command() const { return *command_; }

 private:
  std::shared_ptr<const ComputeCommand> command_;
};

/// A buffer on its way into the host's memory: its bytes may be touched when the event is complete. The last owner of
/// the memory that lets go starts its way back, which ends with the queue's commands.
struct StartedMap {
  PinnedBuffer memory;
  ComputeEvent mapped;
};

/// The device's compiler does not take a program.
class BuildRefused : public Error {
 public:
  using Error::Error;
};

/// The place of a box of rows in a buffer, in bytes: its first, and from row to row and from slice to slice of rows.
struct BoxPlace {
  std::size_t offset = 0;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

/// Bytes of a row, rows of a slice, slices.
using BoxSize = std::array<std::size_t, 3>;

/// The way to tell the driver of an FPGA board in which bank of its memory a buffer lies.
struct MemoryBank {
  enum class Told {
    nothing,  ///< the driver chooses
    kernel,   ///< XRT: the bank that an argument of a kernel is connected to
    type,     ///< Intel, memories of several types: the same, by setting the argument
    channel,  ///< Intel, banks of one type that are not interleaved: by number
  };
  Told told = Told::nothing;
  const Kernel* kernel = nullptr;
  std::uint32_t argument = 0;
  std::uint32_t bank = 0;
};

/// Kernels that a device can run.
class ComputeProgram {
 public:
  virtual ~ComputeProgram() = default;
  /// Throws Error if the program has no such kernel.
  virtual Kernel kernel(const std::string& name) const = 0;
  virtual bool has(const std::string& kernel) const = 0;
  /// The binary that the driver made of the source, for `program_from_binary`.
  virtual std::vector<std::byte> binary() const = 0;
};

/// The commands that one begins after; those of other queues have been flushed.
using ComputeEvents = std::span<const ComputeEvent>;

/// An in-order queue with profiling. Copies throw Error where they would leave the buffer. A model refuses, as an
/// Error, what its machine has no part for: copies within its memory, maps, fills.
class ComputeQueue {
 public:
  virtual ~ComputeQueue() = default;

  /// Throws Error if `arguments` are not those of the kernel's signature.
  virtual ComputeEvent launch(const Kernel& kernel, const NdRange& range, std::span<const Argument> arguments,
                              ComputeEvents after) = 0;
  ComputeEvent launch(const Kernel& kernel, const NdRange& range, std::initializer_list<Argument> arguments) {
    return launch(kernel, range, std::span(arguments.begin(), arguments.size()), {});
  }
  ComputeEvent launch(const Kernel& kernel, const NdRange& range, std::span<const Argument> arguments) {
    return launch(kernel, range, arguments, {});
  }

  /// These return when the bytes have been copied.
  virtual void write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) = 0;
  virtual void read(const Buffer& from, std::size_t offset, std::span<std::byte> to) = 0;
  /// These return at once; the host's bytes stay as they are until the event is complete.
  virtual ComputeEvent start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                                   ComputeEvents after) = 0;
  virtual ComputeEvent start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                                  ComputeEvents after) = 0;
  ComputeEvent start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) {
    return start_write(to, offset, from, {});
  }
  ComputeEvent start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to) {
    return start_read(from, offset, to, {});
  }
  virtual ComputeEvent copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
                            std::size_t bytes) = 0;
  /// Throws Error where the rows do not fit the buffers.
  virtual ComputeEvent copy_box(const Buffer& from, const BoxPlace& from_place, const Buffer& to,
                                const BoxPlace& to_place, const BoxSize& size) = 0;
  /// Maps the whole buffer, for the host to read and write; giving it back waits until it is the device's again.
  virtual PinnedBuffer map(const Buffer& buffer) = 0;
  /// The same, and neither way is waited for: those of several buffers go together.
  virtual StartedMap start_map(const Buffer& buffer) = 0;
  /// Fills the buffer with `pattern`, of 1, 2, 4, 8 ... 128 bytes.
  virtual ComputeEvent fill(const Buffer& to, std::span<const std::byte> pattern) = 0;

  /// What is enqueued from here on begins after these commands, and after all that this queue was given before. The
  /// event of that moment, which others may wait for; it has no times.
  virtual ComputeEvent after(ComputeEvents events) = 0;

  /// Sends what is enqueued to the device.
  virtual void flush() = 0;
  /// Waits for every command of the queue.
  virtual void finish() = 0;
};

/// A part of a program's text; error messages name it.
struct ProgramSource {
  std::string file;
  std::string text;
};

/// ComputeDevice is a device, or a share of one, its memory, its programs and the clock that it is timed by.
class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;

  virtual const DeviceProperties& properties() const = 0;
  /// The time, in seconds: of this machine's monotonic clock, or virtual ones of the model's.
  virtual double now() const = 0;
  /// Calls `body`, in which all copies, launches and waits are: on a model it is the host's thread, in virtual time.
  virtual void run(const std::function<void()>& body) = 0;

  /// Throws Error when the device has no room.
  virtual Buffer buffer(std::size_t bytes) const = 0;
  virtual Buffer buffer(std::size_t bytes, const MemoryBank& bank) const = 0;
  /// Throws Error when the host has no room.
  virtual PinnedBuffer pinned(std::size_t bytes) const = 0;
  /// Memory of the host's that is there already, so that copies need no detour; it outlives what is returned. Throws
  /// Error if the driver refuses it.
  virtual PinnedBuffer pin(std::span<std::byte> memory) const = 0;
  virtual std::unique_ptr<ComputeQueue> queue() const = 0;
  /// For copies: without the times of commands, which NVIDIA's driver takes twice as long to give.
  virtual std::unique_ptr<ComputeQueue> copy_queue() const = 0;
  /// Compiles the sources, one after the other, as one text; throws Error with the compiler's first complaint. A model
  /// compiles nothing: its kernels are the actors that it was opened with.
  virtual std::unique_ptr<ComputeProgram> program(std::span<const ProgramSource> sources,
                                                  const std::string& options) const = 0;
  /// Loads what a vendor's compiler made for this device (.aocx, .xclbin).
  virtual std::unique_ptr<ComputeProgram> program_from_binary(const std::string& file) const = 0;
};

/// Every OpenCL device of this machine, those of PoCL first; throws Error if there is none.
std::vector<DeviceProperties> compute_devices();

/// Opens the device that `target` names, or a part of it: "opencl:N" counts in the order of `compute_devices`,
/// "opencl:NAME" takes the first whose device or platform name contains NAME in any case. Throws Error where the device
/// cannot be divided so.
std::shared_ptr<ComputeDevice> open_compute(const std::string& target, DevicePart part = {});

/// The modelled machine behind `machine`, which it owns.
std::shared_ptr<ComputeDevice> compute_on(std::unique_ptr<Device> machine);

/// The bytes of a contiguous range of values.
template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}
template <typename T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

}  // namespace isthmus::offload
