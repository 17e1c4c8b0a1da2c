#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/offload/objects.hpp"

/// The OpenCL-style flow: buffers in the device's memory, copies, kernels, events. One interface, two back ends: a real
/// OpenCL device, whose clock is the wall, and a modelled machine, whose clock is exact virtual time.
///
/// A flow is written once, as the bodies of one or more host threads. It makes its buffers, kernels, queues and
/// mailboxes first (set-up), then hands the bodies to Device::run. Inside a body everything goes through the Host it is
/// given: on a real device bodies are threads, on a modelled one they are actors in virtual time, so a body never waits
/// for another one by any means but a Mailbox, and touches nothing that another body touches.
namespace isthmus::offload {

/// A buffer from one of its bytes on; of a buffer alone, all of it.
struct BufferPart {
  BufferPart(const Buffer& whole, std::size_t at = 0) : buffer(whole), offset(at) {}
  const Buffer& buffer;
  std::size_t offset;  ///< bytes
};

/// An in-order command queue, used by one host thread; commands of different queues may overlap. Leaving scope waits
/// for its commands, so it goes before the host memory that they use.
class Queue {
 public:
  virtual ~Queue() = default;
};

/// The time at which a command ran on the device, on the device's clock.
struct Span {
  Time start;
  Time end;
  Time length() const { return end - start; }
};

/// The state of one command, kept by the back end.
class EventState {
 public:
  virtual ~EventState() = default;
  /// Throws Error unless the command is known to be complete: a blocking call, Host::wait or Host::finish returned.
  virtual Span span() const = 0;
  /// The time at which the kernel of a launch was at work: without what a model's driver does first to start it.
  virtual Span computing() const { return span(); }
};

/// One enqueued command. Any host thread may name it in `after`; only the thread that enqueued it may wait for it.
using Event = std::shared_ptr<const EventState>;

/// A bounded channel of events from one host thread to another: how the threads of a flow keep step.
class Mailbox {
 public:
  virtual ~Mailbox() = default;
};

/// One execution of a kernel over `columns` x `rows` work items, its arguments in the order of the kernel's signature.
struct Launch {
  const Kernel& kernel;
  std::vector<Argument> arguments{};
  std::size_t columns = 1;
  std::size_t rows = 1;
};

enum class Call { blocking, nonblocking };

/// The calls of one host thread. Each call takes the time on Device::clock that the host spends in it; commands start
/// when their queue's earlier commands and all events in `after` are complete.
class Host {
 public:
  virtual ~Host() = default;

  /// Copies host memory, pageable or pinned, to `to`. `from` stays as it is until the command is complete.
  virtual Event write(Queue& queue, const BufferPart& to, std::span<const std::byte> from, Call call,
                      std::vector<Event> after = {}) = 0;
  /// Copies what begins at `from` to host memory, pageable or pinned, which holds the bytes once the command
  /// is complete.
  virtual Event read(Queue& queue, const BufferPart& from, std::span<std::byte> to, Call call,
                     std::vector<Event> after = {}) = 0;
  virtual Event launch(Queue& queue, const Launch& launch, std::vector<Event> after = {}) = 0;

  virtual void wait(const Event& event) = 0;
  /// Waits for every command of `queue`.
  virtual void finish(Queue& queue) = 0;

  /// Blocks while the mailbox is full.
  virtual void put(Mailbox& mailbox, Event event) = 0;
  /// Blocks while the mailbox is empty.
  virtual Event take(Mailbox& mailbox) = 0;

  /// Computes for so long, without the device.
  virtual void work(Time time) = 0;

  /// Says that this thread's commands from now on are for a numbered message: an image. Traces of models show it.
  virtual void works_on(int /*message*/) {}

  /// This thread's time on the device's clock.
  virtual Time now() const = 0;
};

/// One host thread of a flow; `name` is what error texts and stall tables call it.
struct HostThread {
  std::string name;
  std::function<void(Host&)> body;
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

/// Device is an accelerator with memory of its own, real (OpenCL) or modelled, and the clock that it is timed by.
///
///     const auto device = isthmus::offload::open_device("model:aws-f1", {});  // or "opencl:0"
///     const auto buffer = device->allocate(isthmus::Bytes{4096});
///     const auto queue = device->queue();
///     std::vector<std::byte> sent(4096, std::byte{7});
///     std::vector<std::byte> back(4096);
///     device->run({{"host", [&](isthmus::offload::Host& host) {
///                     host.write(*queue, buffer, sent, isthmus::offload::Call::blocking);
///                     host.read(*queue, buffer, back, isthmus::offload::Call::blocking);
///                   }}});
///     const isthmus::Time took = device->clock();
///
/// Mistakes that are told, each as an Error:
/// - An unknown target, with those that there are; a kernel that the device does not have, or other arguments than its.
/// - A copy of no bytes, or of more than the buffer holds; a buffer for which there is no room.
/// - The times of a command that is not known to be complete; an event of an earlier run in a mailbox.
///
/// Calls outside `run` belong to set-up: they come from one thread and move the clock by what they cost.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceProperties& properties() const = 0;
  /// The time since the device was opened.
  virtual Time clock() const = 0;

  /// Throws Error when the device has no room.
  virtual Buffer allocate(Bytes size) = 0;
  /// Asks the runtime to keep the pinned memory through which copies of this buffer pass, and not to allocate it anew
  /// for each copy (choi2019 3.2.1). The driver of a real device decides for itself.
  virtual void keep_staging(const Buffer& /*buffer*/) {}
  /// Pinned (page-locked) memory of the host: copies from and to it need neither staging nor a copy by the host. Throws
  /// Error when the host has no room.
  virtual PinnedBuffer pin(Bytes size) = 0;
  /// The kernel `name`: kernels/<name>.cl with the function <name> on a real device, its twin as an actor on a model.
  virtual Kernel kernel(const std::string& name) = 0;
  virtual std::unique_ptr<Queue> queue() = 0;
  /// A mailbox with one writing and one reading thread that holds up to `depth` events.
  virtual std::unique_ptr<Mailbox> mailbox(std::size_t depth) = 0;

  /// Runs the bodies to their ends, side by side. When one throws, the others are ended at their next call and the
  /// first exception is rethrown. May be called again: buffers keep their bytes and the clock goes on.
  virtual void run(std::vector<HostThread> threads) = 0;

  /// The time that `count` accesses take a host thread, while the device does nothing else. Throws Error where the
  /// device's registers cannot be reached.
  virtual Time access_registers(const RegisterAccess& access, int count) = 0;

  /// The time for which the device waits for the host's memory while nobody else uses link or memory. Throws Error
  /// where the device cannot be asked to, or `access` is none.
  virtual HostAccessLatency access_host_memory(const HostAccess& access) = 0;
};

}  // namespace isthmus::offload
