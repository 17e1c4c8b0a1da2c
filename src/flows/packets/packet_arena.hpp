#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "flows/packets/packet_checker.hpp"
#include "isthmus/application/packets.hpp"

namespace isthmus::program {

/// Whole beats that hold so many bytes.
constexpr std::size_t whole_beats(std::size_t bytes) {
  return (bytes + kBeatBytes - 1) / kBeatBytes * kBeatBytes;
}

/// Hands a packet on beat by beat; behind its end as many bytes are read as fill its last beat.
void send_beats(std::span<const std::byte> packet, Out<NetPacket>& out);

/// The time is taken of one packet in so many: two looks at the clock take as long as a short packet.
inline constexpr std::size_t kTimed = 16;

/// What the packets of a stretch may take of the memory: more than caches hold, and touched once before.
inline constexpr std::size_t kStretchBytes = std::size_t{64} << 20U;

/// Packets first .. end - 1 of a run, which lie in memory at once.
struct PacketRange {
  int first;
  int end;
  std::size_t packets() const { return static_cast<std::size_t>(end - first); }
};
std::vector<PacketRange> stretches_of(const Packets& packets, int count);

/// Packets that lie one behind the other, each at the beginning of a beat; the first at a multiple of 16 bytes.
class PacketArena {
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ % 16 == 0);

 public:
  /// Room behind all others; what it was before may have moved.
  std::byte* add(std::size_t bytes) {
    make_room(used_ + bytes);
    return bytes_.data() + std::exchange(used_, used_ + bytes);
  }
  /// What was added since the last packet's end is one, of which the last beat uses so many bytes.
  void end_packet(std::size_t in_last) {
    lengths_.push_back(static_cast<std::uint32_t>(used_ - begun_ - kBeatBytes + in_last));
    begun_ = used_;
  }
  /// A whole packet of so many bytes, which are to be written.
  std::span<std::byte> add_packet(std::size_t bytes);
  void clear();
  /// So many bytes are there, and touched once, before they are used.
  void make_room(std::size_t bytes) {
    if (bytes > bytes_.size()) bytes_.resize(std::max(bytes, 2 * bytes_.size()));
  }

  std::size_t used() const { return used_; }
  const std::byte* bytes() const { return bytes_.data(); }
  const std::vector<std::uint32_t>& lengths() const { return lengths_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::size_t begun_ = 0;
  std::vector<std::uint32_t> lengths_;
};

/// Fills arenas with the packets of a stretch: each packet is in the arena of its number modulo theirs.
void draw(const Packets& packets, const PacketRange& stretch, std::span<PacketArena> arenas);
/// Compares all that arenas hold, of which the packets from `first` on were dealt in that way, and clears them.
void check(std::span<PacketArena> arenas, int first, PacketChecker& checker);

/// Wall time and the time of this process's cores, over several stretches.
class Spent {
 public:
  void begin();
  void end();
  Time elapsed() const { return elapsed_; }
  /// Cores at work, on average.
  double cores() const;

 private:
  std::int64_t begun_ = 0;  ///< time of the begin, nanoseconds
  std::int64_t cpu_begun_ = 0;
  Time elapsed_;
  Time cpu_;
};

}  // namespace isthmus::program
