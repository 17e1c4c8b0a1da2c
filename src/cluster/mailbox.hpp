#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "isthmus/cluster/ranks.hpp"
#include "isthmus/offload/device.hpp"

namespace isthmus::cluster {

/// Memory of the ranks of one host, pinned for each one's device, through which they pass each other chunks: every rank
/// has a ring of places that it fills, and for every other rank two counters, of chunks that it has posted and of those
/// that the other has taken out again.
class Mailbox {
 public:
  /// Places that a rank may have filled before the first of them is taken out.
  static constexpr std::size_t kPlaces = 4;
  /// Size of chunks for messages of at most `largest` bytes: large enough that a copy's start is little beside it.
  static std::size_t chunk_for(std::size_t largest) {
    return std::clamp<std::size_t>(largest, 1, std::size_t{1} << 20U);
  }
  /// Every rank of the group makes it at once. All throw AgreedError unless they are on one host, which has room for
  /// it, and every device takes it.
  Mailbox(const Ranks& ranks, offload::Device& device, std::size_t chunk);

  /// What a rank that waits for another does meanwhile: gives back what it has taken, as others may wait for that.
  using Meanwhile = std::function<void()>;

  /// The place of this rank's next chunk, after the last one there has been taken.
  std::span<std::byte> place(const Meanwhile& meanwhile);
  /// The chunk in the place that was given out before all others is there for `to`, who may be one of several.
  void post(std::span<const std::byte> chunk, int to);
  /// The next chunk of `from` for this rank, of the place's size.
  std::span<std::byte> await(int from, const Meanwhile& meanwhile);
  /// The oldest chunk of `from` that this rank still had is out of its place.
  void taken(int from);

 private:
  /// The box from one rank to one other; each counter has a cache line.
  struct Channel {
    alignas(64) std::atomic<std::uint64_t> posted;
    std::array<std::uint32_t, kPlaces> place;  // of each of the last chunks
    alignas(64) std::atomic<std::uint64_t> taken;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  Channel& channel(int from, int to) const;
  std::span<std::byte> place_of(int rank, std::size_t place) const;

  Ranks ranks_;
  std::size_t chunk_;
  std::size_t head_;  // bytes of a slot before its places
  SharedSegment segment_;
  offload::PinnedBuffer pinned_;
  std::size_t next_ = 0;                                                     // place
  std::array<std::vector<std::pair<int, std::uint64_t>>, kPlaces> holders_;  // ranks, and what they will have taken
  std::vector<std::uint64_t> received_;                                      // of each rank
};

}  // namespace isthmus::cluster
