#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/fabric/dma.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::offload::model {

using fabric::Unit;

/// One enqueued command. It belongs to the actor that holds its token; what the runtime keeps of it is the runtime's.
struct Command final : EventState, std::enable_shared_from_this<Command> {
  int queue = 0;
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

  // Kept by the runtime.
  int order = 0;           ///< in which it was enqueued
  std::size_t worker = 0;  ///< who does it: see RuntimeState
  bool dispatched = false;
  bool complete = false;
  Span ran{};

  Span span() const override;
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
