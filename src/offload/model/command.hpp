#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/fabric/dma.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::offload::model {

using fabric::Unit;

/// What the time of a run goes to. A command passes some of them one after the other; the device's are the last three.
enum class Piece : std::uint8_t { host_thread, driver_call, allocation, copy, launch, to_device, to_host, kernel };
inline constexpr std::size_t kPieces = 8;

/// A time for each piece.
struct Pieces {
  std::array<Time, kPieces> times{};
  Time& operator[](Piece piece) { return times.at(static_cast<std::size_t>(piece)); }
  Time operator[](Piece piece) const { return times.at(static_cast<std::size_t>(piece)); }
};

/// The device's piece of a command.
Piece piece_of(Unit unit);

/// One enqueued command. It belongs to the actor that holds its token; what the runtime keeps of it is the runtime's.
struct Command final : EventState, std::enable_shared_from_this<Command> {
  int queue = 0;
  std::int64_t message = -1;  ///< that it is for; below 0: unknown
  Unit unit{};
  std::vector<std::shared_ptr<const Command>> after;

  // Of a transfer.
  std::span<const std::byte> from;  ///< pageable memory, to the device
  std::span<std::byte> to;          ///< pageable memory, to the host
  bool copied = true;               ///< by the host, between pageable and pinned memory
  bool allocates = true;            ///< the pinned memory that it passes through
  fabric::DeviceAddress device;
  std::uint64_t bytes = 0;
  std::span<std::byte> pinned;
  fabric::DmaJob job{};

  // Of a launch.
  fabric::KernelStart start{};

  Pieces spent{};  ///< in the host's parts, by them

  // Kept by the runtime.
  const Command* known = nullptr;  ///< the last that the host thread had seen the end of when it enqueued this one
  Pieces path{};                   ///< the critical path from the run's start to this command's end
  int order = 0;                   ///< in which it was enqueued
  std::size_t worker = 0;          ///< who does it: see RuntimeState
  bool dispatched = false;
  bool complete = false;
  Span ran{};

  Span span() const override;
  /// How long the device took: what the host's parts leave of the command's span.
  Time on_device() const;
};

/// Hands a command from one part of the host to the next.
struct CommandToken {
  Command* command;
};

/// What a host thread asks of the runtime.
struct HostCall {
  enum class Kind : std::uint8_t { enqueue, wait, finish, put, take };
  Kind kind;
  int object;  ///< queue or mailbox
  int depth;   ///< of the mailbox
  Command* command;
};

/// Lets a host thread go on; `slept` if it had to wait.
struct HostReply {
  Command* command;
  bool slept;
};

}  // namespace isthmus::offload::model
