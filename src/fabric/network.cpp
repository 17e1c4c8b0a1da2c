#include "isthmus/fabric/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/stream/chance.hpp"

namespace isthmus::fabric {

Time line_time(const NetworkSpec& spec, std::int64_t bytes) {
  return transfer_time(Bytes{std::max(bytes, spec.least.count) + spec.overhead.count}, spec.rate);
}

int pieces_under_way(const NetworkSpec& spec) {
  return kPieces + static_cast<int>(spec.latency.seconds() / line_time(spec, 0).seconds());
}

void NetworkLine::step() {
  packet_.clear();
  std::int64_t bytes = 0;
  do {
    packet_.push_back(in.read());
    bytes += packet_.back().bytes;
  } while (!packet_.back().eop);
  timer_.wait(line_time(spec_, bytes));
  if (happens(random_, spec_.corrupt)) {
    ++corrupted_;
    return;
  }
  for (const PacketPiece& piece : packet_) out.push(piece);
}

void send_packet(Out<PacketPiece>& out, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t count = std::min(PacketPiece::kMost, bytes.size() - at);
    PacketPiece& piece = out.slot();
    piece.sop = at == 0;
    piece.bytes = static_cast<std::uint16_t>(count);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, piece.data.begin());
    at += count;
    piece.eop = at == bytes.size();
  }
}

void PacketReceiver::step() {
  if (piece_ == nullptr) piece_ = &in.read_in_place();
  const std::size_t count = std::min(kBeatBytes, piece_->bytes - at_);
  NetPacket& beat = out.slot();
  std::memcpy(beat.data.data(), piece_->data.data() + at_, kBeatBytes);
  beat.sop = piece_->sop && at_ == 0;
  at_ += count;
  const bool ends = at_ == piece_->bytes;
  beat.eop = ends && piece_->eop;
  beat.len = len_of(count);
  if (!ends) return;
  piece_ = nullptr;
  at_ = 0;
}

void PacketTransmitter::step() {
  const NetPacket& beat = in.read_in_place();
  if (!beat.eop && bytes_of(beat) != kBeatBytes)
    throw Error(fmt::format("a beat before a packet's last: expected {} bytes, got {}", kBeatBytes, beat.len));
  if (beat.sop) piece_.sop = true;
  std::memcpy(piece_.data.data() + piece_.bytes, beat.data.data(), kBeatBytes);
  piece_.bytes = static_cast<std::uint16_t>(piece_.bytes + bytes_of(beat));
  piece_.eop = beat.eop;
  if (!beat.eop && piece_.bytes < PacketPiece::kMost) return;
  out.push(piece_);
  piece_.sop = false;
  piece_.bytes = 0;
}

}  // namespace isthmus::fabric
