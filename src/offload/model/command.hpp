#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/fabric/dma.hpp"
#include "isthmus/fabric/registers.hpp"

namespace isthmus::offload::model {

/// What the time of a run goes to in the host. A command passes some of them one after the other.
enum class HostCost : std::uint8_t { host_thread, driver_call, allocation, copy, launch };
inline constexpr std::size_t kHostCosts = 5;

/// A time for each piece.
struct Pieces {
  std::array<Time, kHostCosts> times{};
  Time& operator[](HostCost piece) { return times.at(static_cast<std::size_t>(piece)); }
  Time operator[](HostCost piece) const { return times.at(static_cast<std::size_t>(piece)); }
  Pieces& operator+=(const Pieces& other) {
    for (std::size_t i = 0; i < kHostCosts; ++i) times.at(i) += other.times.at(i);
    return *this;
  }
};

/// When a command ran, on the device's clock.
struct Ran {
  Time start;
  Time end;
  Time length() const { return end - start; }
};

/// What a command has the device do.
enum class DeviceWork : std::uint8_t { to_device, to_host, kernel };
inline constexpr std::size_t kDeviceWorks = 3;

/// The `number`th command of a host thread.
struct CommandId {
  std::uint32_t thread;
  std::uint32_t number;
  auto operator<=>(const CommandId&) const = default;
};

/// The way to a command's end: what it goes to in the host, and on each unit of the device.
struct CommandPath {
  Pieces host{};
  std::map<fabric::Unit, Time> units{};
};

/// One enqueued command. Whoever holds its token may touch it and nobody else; once it has ended it changes no more,
/// and whoever was told so may look at it. It lives as long as its token, its events and whatever waits for it.
struct Command : std::enable_shared_from_this<Command> {
  Command() = default;

  CommandId id{};
  int queue = 0;
  std::int64_t message = -1;  ///< that it is for; below 0: unknown
  DeviceWork work{};
  fabric::Unit unit{};                                ///< that does it; of a transfer from its start on
  std::size_t worker = 0;                             ///< likewise, in the host: see Workers
  std::vector<std::shared_ptr<const Command>> after;  ///< until it starts

  // Fields of a transfer.
  std::span<const std::byte> from;  ///< pageable memory, to the device
  std::span<std::byte> to;          ///< pageable memory, to the host
  bool copied = true;               ///< by the host, between pageable and pinned memory
  bool allocates = true;            ///< the pinned memory that it passes through
  fabric::DeviceAddress device{};
  std::uint64_t bytes = 0;
  std::span<std::byte> pinned;
  std::uint64_t chunk = 0;  ///< bytes that pass it at a time; 0: all
  fabric::DmaJob job{};

  // Fields of a launch.
  fabric::KernelCall call{};

  Pieces spent{};  ///< in the host's parts, by them
  bool complete = false;
  Ran ran{};

  // Fields of the runtime.
  int order = 0;                           ///< in which it was enqueued
  std::shared_ptr<const Command> known{};  ///< the last that its thread had seen the end of; until it starts
  bool dispatched = false;
  CommandPath path{};  ///< the critical path from the run's start to its end

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
  int object;              ///< queue or mailbox
  int depth;               ///< of the mailbox
  CommandToken enqueue;    ///< the command with an enqueue, which the runtime has from then on
  const Command* command;  ///< that is waited for or put
};

/// Lets a host thread go on; `slept` if it had to wait.
struct HostReply {
  const Command* command;  ///< with a take
  bool slept;
};

}  // namespace isthmus::offload::model
