#include "flows/packets/packets_beside.hpp"

#include <memory>
#include <utility>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// Bytes that are compared at once, so that threads seldom meet, and how many such may wait.
constexpr std::size_t kChunk = std::size_t{256} << 10U;
constexpr std::uint64_t kWaiting = 8;
/// Room for those and for the last packet's end, so that none is moved as they become more.
constexpr std::size_t kReserved = kChunk + (std::size_t{16} << 10U);

}  // namespace

void PacketsBeside::end_packet() {
  chunk_.lengths.push_back(static_cast<std::uint32_t>(chunk_.bytes.size() - begun_));
  if (chunk_.bytes.size() < kChunk) return;
  hand_over();
  chunk_.bytes.reserve(kReserved);
}

void PacketsBeside::hand_over() {
  stop_if_interrupted();
  if (given_ >= kWaiting) worker_.wait_for(given_ - kWaiting + 1);
  worker_.add([&checker = checker_, chunk = std::make_shared<const Chunk>(std::exchange(chunk_, {}))] {
    std::size_t at = 0;
    for (const std::uint32_t length : chunk->lengths) {
      checker.take(std::span(chunk->bytes).subspan(at, length));
      at += length;
    }
  });
  ++given_;
}

void PacketsBeside::finish() {
  if (!chunk_.lengths.empty()) hand_over();
  worker_.finish();
}

}  // namespace isthmus::program
