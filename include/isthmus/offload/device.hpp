#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/moment.hpp"
#include "isthmus/base/units.hpp"
#include "isthmus/offload/queue.hpp"

/// An accelerator with memory of its own: buffers, copies, kernels, events. One interface, two back ends: a real OpenCL
/// device, whose clock is the wall, and a modelled machine, whose clock is exact virtual time.
///
/// A program is written once, as the bodies of one or more host threads. It makes its buffers, kernels, queues and
/// mailboxes first (set-up), then hands the bodies to Device::run. On a real device bodies are threads, on a modelled
/// one they are actors in virtual time, so a body never waits for another one by any means but a Mailbox, and touches
/// nothing that another body touches.
namespace isthmus::offload {

/// One host thread; `name` is what error texts and stall tables call it.
struct HostThread {
  std::string name;
  std::function<void()> body;
};

/// The way in which host software accesses the device's registers, one access after the other.
struct RegisterAccess {
  enum class Kind : std::uint8_t { store, load };
  Kind kind;
  Bytes size;            ///< of one access
  bool write_combining;  ///< stores gather in the core and leave it as whole lines
};

/// The device's own reads or writes of the host's memory, one access of `size` after the other or several at once.
struct HostAccess {
  enum class Kind : std::uint8_t { read, write };
  Kind kind;
  Bytes size;      ///< whole words of 64 bytes, up to a page of 4 KiB, which no request crosses
  bool at_once;    ///< as many under way as the link's tags allow, in place of one
  Bytes offset{};  ///< whole words: where each begins, from the start of a page or of a power of two that holds both
};

/// The mean time of accesses. One begins as soon as one before it has ended, so that `in_flight` are always under way
/// and `in_flight * size / each` is their rate. A read ends with its last word. Posted writes have no answer: a write
/// ends when its last word has been read back, which comes after it on the link.
struct HostAccessLatency {
  int in_flight;  ///< accesses under way
  Time each;
};

/// The `index`th of `count` equal parts of a device's compute units; the whole device by default.
struct DevicePart {
  int index = 0;
  int count = 1;
};

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

/// The device's compiler does not take a program.
class BuildRefused : public Error {
 public:
  using Error::Error;
};

/// A part of a program's text; error messages name it.
struct ProgramSource {
  std::string file;
  std::string text;
};

/// Kernels that a device can run.
class Program {
 public:
  virtual ~Program() = default;
  /// Throws Error if the program has no such kernel.
  virtual Kernel kernel(const std::string& name) const = 0;
  virtual bool has(const std::string& kernel) const = 0;
  /// The binary that the driver made of the source, for `program_from_binary`.
  virtual std::vector<std::byte> binary() const = 0;
};

/// Device is an accelerator, or a share of one, real (OpenCL) or modelled, and the clock that it is timed by. Nothing
/// that it made may outlive it.
///
///     const auto device = isthmus::offload::open_device("model:aws-f1", {});  // or "opencl:0"
///     const auto buffer = device->buffer(4096);
///     const auto queue = device->queue();
///     std::vector<std::byte> sent(4096, std::byte{7});
///     std::vector<std::byte> back(4096);
///     device->run([&] {
///       queue->write(buffer, 0, sent);
///       queue->read(buffer, 0, back);
///     });
///     const double seconds = device->now().seconds();
///
/// Mistakes that are told, each as an Error:
/// - An unknown target, with those that there are; a kernel that the device does not have, or other arguments than its.
/// - A copy of more than the buffer holds; a buffer for which there is no room.
/// - The times of a command that is not known to be complete; an event of an earlier run in a mailbox.
/// - On a model a command, a wait or a mailbox outside `run`.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProperties& properties() const = 0;
  /// This moment: on a real device of its host's monotonic clock; on a model of virtual time, which began with the
  /// device and which for each host thread is its own. Outside `run` set-up moves a model's clock by what it costs.
  virtual Moment now() const = 0;
  /// Brings the spans of commands together with `now`: the timer of a real device has a beginning and a pace of its
  /// own, some millionths apart, so programs that compare the two ask for it before they run. Until then spans are
  /// comparable with each other alone.
  virtual void align_clocks() {}

  /// Throws Error when the device has no room.
  virtual Buffer buffer(std::size_t bytes, const MemoryBank& bank = {}) = 0;
  /// Asks the runtime to keep the pinned memory through which copies of this buffer pass, and not to allocate it anew
  /// for each copy (choi2019 3.2.1). The driver of a real device decides for itself.
  virtual void keep_staging(const Buffer& /*buffer*/) {}
  /// Pinned (page-locked) memory of the host: copies from and to it need neither staging nor a copy by the host. Throws
  /// Error when the host has no room.
  virtual PinnedBuffer pinned(std::size_t bytes) = 0;
  /// Memory of the host's that is there already, so that copies need no detour; it outlives what is returned. Throws
  /// Error if the driver refuses it.
  virtual PinnedBuffer pin(std::span<std::byte> memory) = 0;

  virtual std::unique_ptr<Queue> queue() = 0;
  /// For copies: without the times of commands, which NVIDIA's driver takes twice as long to give.
  virtual std::unique_ptr<Queue> copy_queue() = 0;
  /// A mailbox with one writing and one reading thread that holds up to `depth` events.
  virtual std::unique_ptr<Mailbox> mailbox(std::size_t depth) = 0;

  /// The kernel `name`: kernels/<name>.cl with the function <name> on a real device, its twin as an actor on a model.
  virtual Kernel kernel(const std::string& name) = 0;
  /// Compiles the sources, one after the other, as one text; throws Error with the compiler's first complaint. A model
  /// compiles nothing: its kernels are the actors that it was opened with.
  virtual std::unique_ptr<Program> program(std::span<const ProgramSource> sources, const std::string& options) = 0;
  /// Loads what a vendor's compiler made for this device (.aocx, .xclbin).
  virtual std::unique_ptr<Program> program_from_binary(const std::string& file) = 0;

  /// Runs the bodies to their ends, side by side; one alone runs in the caller's thread. When one throws, the others
  /// are ended at their next call and the first exception is rethrown. May be called again: buffers keep their bytes
  /// and the clock goes on.
  virtual void run(std::vector<HostThread> threads) = 0;
  void run(std::function<void()> body) { run(std::vector<HostThread>{{.name = "host", .body = std::move(body)}}); }
  /// The host thread at work computes for so long, without the device.
  virtual void work(Time time) = 0;
  /// Says that commands of the host thread at work are from now on for a numbered message: an image. Traces of models
  /// show it.
  virtual void works_on(int /*message*/) {}

  /// The time that `count` accesses take a host thread, while the device does nothing else. Throws Error where the
  /// device's registers cannot be reached.
  virtual Time access_registers(const RegisterAccess& access, int count) = 0;
  /// The time for which the device waits for the host's memory while nobody else uses link or memory. Throws Error
  /// where the device cannot be asked to, or `access` is none.
  virtual HostAccessLatency access_host_memory(const HostAccess& access) = 0;
};

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
