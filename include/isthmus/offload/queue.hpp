#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "isthmus/base/moment.hpp"
#include "isthmus/offload/objects.hpp"

/// Commands of a device, and how one waits for them.
namespace isthmus::offload {

/// The time at which a command ran.
struct Span {
  Moment start{};
  Moment end{};
  Time length() const { return end - start; }
};

/// A back end's state of a command.
class EventState {
 public:
  virtual ~EventState() = default;
  virtual void wait() const = 0;
  virtual Span span() const = 0;
  virtual Span computing() const { return span(); }
};

/// One enqueued command. Any host thread may have others begin after it; only the thread that enqueued it, or took it
/// from a mailbox, may wait for it.
class Event {
 public:
  Event() = default;  ///< of no command
  explicit Event(std::shared_ptr<const EventState> state) : state_(std::move(state)) {}
  /// Blocks until the command is complete; throws Error if it failed.
  void wait() const { state_->wait(); }
  /// Throws Error unless the command is known to be complete: `wait` or Queue::finish returned. On the device's own
  /// timer, which Device::align_clocks brings together with Device::now.
  Span span() const { return state_->span(); }
  /// The time at which the kernel of a launch was at work: without what a model's driver does first to start it.
  Span computing() const { return state_->computing(); }
  const EventState& state() const { return *state_; }
  explicit operator bool() const { return state_ != nullptr; }
  bool operator==(const Event&) const = default;

 private:
  std::shared_ptr<const EventState> state_;
};

using Events = std::vector<Event>;

/// Work-items; a local size of 0 leaves the choice to the driver.
struct NdRange {
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{0, 0, 0};

  /// The range of a kernel that is written as one work-item.
  static NdRange single() { return {.global = {1, 1, 1}, .local = {1, 1, 1}}; }
};

/// A buffer on its way into the host's memory: its bytes may be touched when the event is complete. The last owner of
/// the memory that lets go starts its way back, which ends with the queue's commands.
struct StartedMap {
  PinnedBuffer memory;
  Event mapped;
};

/// The place of a box of rows in a buffer, in bytes: its first, and from row to row and from slice to slice of rows.
struct BoxPlace {
  std::size_t offset = 0;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

/// Bytes of a row, rows of a slice, slices.
using BoxSize = std::array<std::size_t, 3>;

/// An in-order command queue, used by one host thread; commands of different queues may overlap. A command begins when
/// its queue's earlier ones and all in `after` are complete; those of other queues have been flushed. Leaving scope
/// waits for its commands, so it goes before the host memory that they use. Copies throw Error where they would leave
/// the buffer. A model refuses, as an Error, commands for which its machine has no part: copies within its memory,
/// maps, fills.
class Queue {
 public:
  virtual ~Queue() = default;

  /// `arguments` are in the order of the kernel's signature; throws Error if they are others.
  virtual Event launch(const Kernel& kernel, const NdRange& range, const std::vector<Argument>& arguments,
                       const Events& after = {}) = 0;

  /// These return when the bytes have been copied.
  virtual void write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) = 0;
  virtual void read(const Buffer& from, std::size_t offset, std::span<std::byte> to) = 0;
  /// These return at once; the host's bytes, one or more, stay as they are until the event is complete.
  virtual Event start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                            const Events& after = {}) = 0;
  virtual Event start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                           const Events& after = {}) = 0;
  virtual Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
                     std::size_t bytes) = 0;
  /// Throws Error where the rows do not fit the buffers.
  virtual Event copy_box(const Buffer& from, const BoxPlace& from_place, const Buffer& to, const BoxPlace& to_place,
                         const BoxSize& size) = 0;
  /// Maps the whole buffer, for the host to read and write; giving it back waits until it is the device's again.
  virtual PinnedBuffer map(const Buffer& buffer) = 0;
  /// The same, and neither way is waited for: those of several buffers go together.
  virtual StartedMap start_map(const Buffer& buffer) = 0;
  /// Fills the buffer with `pattern`, of 1, 2, 4, 8 ... 128 bytes.
  virtual Event fill(const Buffer& to, std::span<const std::byte> pattern) = 0;

  /// What is enqueued from here on begins after these commands, and after all that this queue was given before. The
  /// event of that moment, which others may wait for; it has no times.
  virtual Event after(const Events& events) = 0;

  /// Sends what is enqueued to the device.
  virtual void flush() = 0;
  /// Waits for every command of the queue.
  virtual void finish() = 0;
};

/// A bounded channel of events from one host thread to another: how the threads of a flow keep step.
class Mailbox {
 public:
  virtual ~Mailbox() = default;
  /// Blocks while the mailbox is full. Throws Error for the event of an earlier run.
  virtual void put(Event event) = 0;
  /// Blocks while the mailbox is empty.
  virtual Event take() = 0;
};

}  // namespace isthmus::offload
