#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isthmus/stream.hpp"

/// A network as a board's port sees it: a line to whoever sends packets and one to whoever receives them, full duplex,
/// and the blocks that take packets from it and put them there beat by beat.
namespace isthmus::fabric {

/// One network line. An end without room makes the other end wait (PAUSE frames, IEEE 802.3 annex 31B): only corrupted
/// packets are lost.
struct NetworkSpec {
  Bandwidth rate;      ///< bytes a second on the wire
  Time latency;        ///< time from the last bit on the wire of one end to the packet's hand-over at the other
  Bytes overhead;      ///< bytes of a frame besides its packet: preamble, check sequence, gap to the next
  Bytes least;         ///< bytes that a shorter packet is padded to
  double corrupt = 0;  ///< probability that a sent packet has a wrong check sequence
};

/// Several beats of a packet, which cross between clocks together.
struct PacketPiece {
  static constexpr std::size_t kMost = 512;

  bool sop;
  bool eop;
  std::uint16_t bytes;  ///< bytes of the piece: whole beats, except in a packet's last piece
  std::array<std::byte, kMost> data;
};

/// The time for which a packet holds a line.
Time line_time(const NetworkSpec& spec, std::int64_t bytes);

/// A line, which has no clock: a packet goes on its way once all of it is there, and is handed over once its check
/// sequence is right; one whose is not is dropped. The latency is that of the channel behind it.
class NetworkLine {
 public:
  In<PacketPiece> in{"in"};
  Out<PacketPiece> out{"out"};

  explicit NetworkLine(const NetworkSpec& spec) : spec_(spec) {}
  void step();

  /// Packets that were dropped.
  std::int64_t corrupted() const { return corrupted_; }

 private:
  NetworkSpec spec_;
  Timer timer_;
  Random random_;
  std::int64_t corrupted_ = 0;
  std::vector<PacketPiece> packet_;
};

/// Hands packets to a kernel, a beat a cycle.
class PacketReceiver {
 public:
  In<PacketPiece> in{"in"};
  Out<NetPacket> out{"out"};
  void step();
  /// It ends with the line and the last of its beats.
  bool done() const { return false; }

 private:
  const PacketPiece* piece_ = nullptr;  ///< piece under way; stays in place until the next is taken
  std::size_t at_ = 0;                  ///< bytes of the piece that are taken
};

/// Gathers the beats of a kernel.
class PacketTransmitter {
 public:
  In<NetPacket> in{"in"};
  Out<PacketPiece> out{"out"};
  void step();

 private:
  PacketPiece piece_{};
};

/// Sends a packet piece by piece.
void send_packet(Out<PacketPiece>& out, std::span<const std::byte> bytes);

/// The names of the network blocks in reports. Lines lead to and from the board, or the card of its host.
inline constexpr const char* kNetworkIn = "network in";
inline constexpr const char* kNetworkOut = "network out";
inline constexpr const char* kPacketReceiver = "packet receiver";
inline constexpr const char* kPacketTransmitter = "packet transmitter";

/// The number of pieces that wait in front of a line and behind it: those of the largest packet, and one more.
inline constexpr int kPieces = 64;
/// What a line holds of the shortest packets, one behind the other, and kPieces more that wait for who takes them.
int pieces_under_way(const NetworkSpec& spec);

}  // namespace isthmus::fabric
