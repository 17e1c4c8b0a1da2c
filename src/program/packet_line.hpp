#pragma once

#include <span>
#include <string>
#include <vector>

/// A line between two sockets of this machine that carries packets.
namespace isthmus::program {

/// A file descriptor, closed when it leaves scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

/// The memory of the packets of one end: room for some of the largest, and how long each is.
class PacketBatch {
 public:
  /// Packets that one call of the system moves at most.
  static constexpr std::size_t kMost = 32;

  explicit PacketBatch(std::size_t largest) : largest_(largest), bytes_(kMost * largest), lengths_(kMost) {}

  std::byte* at(std::size_t packet) { return bytes_.data() + packet * largest_; }
  std::size_t room() const { return largest_; }
  std::size_t& length(std::size_t packet) { return lengths_[packet]; }
  std::span<const std::byte> packet(std::size_t number) { return {at(number), lengths_[number]}; }

 private:
  std::size_t largest_;
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> lengths_;
};

/// Two ends, of which each gets what the other sends. No call waits.
class PacketLine {
 public:
  /// Opens a line of network interfaces, "veth", or of local sockets, "unix", for packets of up to `largest` bytes.
  /// Throws Error if the system refuses.
  static PacketLine open(const std::string& transport, std::size_t largest);

  const std::string& transport() const { return transport_; }
  /// The end of whoever tests, and the kernel's.
  int outside() const { return outside_.number(); }
  int inside() const { return inside_.number(); }
  /// How many packets of that size may be under way, one way and back, without any being dropped.
  int window() const { return window_; }
  /// Packets that an end had no room for, since the last time it was asked.
  int dropped() const;

 private:
  PacketLine(std::string transport, Descriptor outside, Descriptor inside, std::size_t largest);

  std::string transport_;
  Descriptor outside_;
  Descriptor inside_;
  int window_;
};

/// Packets that came: of the batch's first places. Throws Error where the system fails.
std::size_t receive(int end, PacketBatch& batch);

/// Until packets are there, or for a millisecond.
void wait_for_packets(int end);

/// A packet to be sent.
using PacketBytes = std::span<const std::byte>;
/// The number of the first packets that went, of PacketBatch::kMost at most. Throws Error where the system fails.
std::size_t send(int end, std::span<const PacketBytes> packets);

/// The two ends of a pair of network interfaces, each in a network namespace of its own, in a user namespace that needs
/// no privilege. Throws Error where the system refuses, which many are set up to do.
struct VethPair {
  Descriptor outside;
  Descriptor inside;
};
VethPair open_veth_pair(std::size_t largest);

}  // namespace isthmus::program
