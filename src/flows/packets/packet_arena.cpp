#include "flows/packets/packet_arena.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// Bytes ahead of a packet's that are asked of memory: a processor's own fetching ahead stops at each page. They come
/// while the actors behind work on what lies between, so they wait in the second-level cache.
constexpr std::size_t kFetchedAhead = 16384;
constexpr int kSecondLevel = 2;  // of __builtin_prefetch

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void send_beats(std::span<const std::byte> packet, Out<NetPacket>& out) {
  const std::byte* bytes = packet.data();
  const std::size_t count = whole_beats(packet.size()) / kBeatBytes;
  std::size_t sent = 0;
  const auto fill = [&](std::span<NetPacket> slots) {
    const auto beats = slots.first(std::min(slots.size(), count - sent));
    for (NetPacket& beat : beats) {
      beat.sop = beat.eop = false;
      beat.len = 0;
      __builtin_prefetch(bytes + kFetchedAhead, 0, kSecondLevel);
      std::memcpy(beat.data.data(), bytes, kBeatBytes);
      bytes += kBeatBytes;
    }
    beats.front().sop = sent == 0;
    sent += beats.size();
    if (sent == count) {
      beats.back().eop = true;
      beats.back().len = len_of(packet.size());
    }
    return beats.size();
  };
  while (sent < count) push_burst(out, fill);
}

std::vector<PacketRange> stretches_of(const Packets& packets, int count) {
  std::vector<PacketRange> stretches;
  std::size_t bytes = kStretchBytes;
  for (int i = 0; i < count; ++i) {
    const std::size_t more = whole_beats(packets.length(i));
    if (bytes + more > kStretchBytes) {
      stretches.push_back({.first = i, .end = i});
      bytes = 0;
    }
    bytes += more;
    stretches.back().end = i + 1;
  }
  return stretches;
}

std::span<std::byte> PacketArena::add_packet(std::size_t bytes) {
  const std::size_t whole = whole_beats(bytes);
  std::byte* const place = add(whole);
  end_packet(bytes - (whole - kBeatBytes));
  return {place, bytes};
}

void PacketArena::clear() {
  used_ = begun_ = 0;
  lengths_.clear();
}

void draw(const Packets& packets, const PacketRange& stretch, std::span<PacketArena> arenas) {
  for (PacketArena& arena : arenas) arena.clear();
  for (int i = stretch.first; i < stretch.end; ++i)
    packets.fill(i, arenas[static_cast<std::size_t>(i) % arenas.size()].add_packet(packets.length(i)));
}

void check(std::span<PacketArena> arenas, int first, PacketChecker& checker) {
  struct Next {
    std::size_t packet = 0;
    std::size_t at = 0;
  };
  std::vector<Next> next(arenas.size());
  std::size_t left = 0;
  for (const PacketArena& arena : arenas) left += arena.lengths().size();
  for (auto turn = static_cast<std::size_t>(first); left > 0; ++turn) {
    const PacketArena& arena = arenas[turn % arenas.size()];
    auto& [packet, at] = next[turn % arenas.size()];
    if (packet == arena.lengths().size()) continue;
    stop_if_interrupted();
    --left;
    const std::uint32_t length = arena.lengths()[packet++];
    checker.take({arena.bytes() + at, length});
    at += whole_beats(length);
  }
  for (PacketArena& arena : arenas) arena.clear();
}

void Spent::begin() {
  begun_ = nanoseconds_of(CLOCK_MONOTONIC);
  cpu_begun_ = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void Spent::end() {
  elapsed_ += Time::ns(nanoseconds_of(CLOCK_MONOTONIC) - begun_);
  cpu_ += Time::ns(nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_begun_);
}

double Spent::cores() const {
  return elapsed_ == Time() ? 0 : cpu_.seconds() / elapsed_.seconds();
}

}  // namespace isthmus::program
