#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isthmus/stream.hpp"

namespace isthmus::program {

/// Packets that come from a network and go back there, in the place of messages from a host: what an application has
/// whose kernel is tied to a network. Each comes back as one packet, in the same order.
struct Packets {
  std::size_t most = 0;  ///< bytes of the largest packet
  std::function<std::size_t(int packet)> length{};
  /// Writes packet number `packet`, 0 and up; the same number gives the same bytes each time.
  std::function<void(int packet, std::span<std::byte> bytes)> fill{};
  /// Makes the kernel's expected output of a packet, in place; the packet is the `position`-th that reaches it, from 0
  /// on: computed another way.
  std::function<void(std::uint64_t position, std::vector<std::byte>& bytes)> reference{};
  /// Is given what came back, and was right, as packet number `packet`, in the order in which they came.
  std::function<void(int packet, std::span<const std::byte> bytes)> received{};
  /// How a message between copies holds packets, each in a place of its own of one size: writes the one that is the
  /// `position`-th to reach the host into its place,
  std::function<void(std::uint64_t position, std::span<const std::byte> bytes, std::span<std::byte> place)> enter{};
  /// and where in a place the packet lies.
  std::function<std::span<const std::byte>(std::span<const std::byte> place)> leave{};
  double load = 1;  ///< share of the line rate that a modelled network offers
};

/// The network where a kernel's actors are: of a modelled board, or of this machine.
class NetworkEnds {
 public:
  virtual ~NetworkEnds() = default;
  /// Ties the actor that takes packets, and the one that sends them, `latency` cycles after its step.
  virtual void connect(In<NetPacket>& packets) = 0;
  virtual void connect(Out<NetPacket>& packets, int latency) = 0;
};

}  // namespace isthmus::program
