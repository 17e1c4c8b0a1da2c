#include "isthmus/fabric/storage.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::fabric {

Bandwidth sequential_rate(const StorageSpec& spec) {
  const auto bytes = static_cast<double>(spec.read_size.count);
  const double command = spec.read_latency.seconds() + bytes / spec.read_rate.bytes_per_second;
  return {std::min(spec.read_rate.bytes_per_second, spec.queue_depth * bytes / command)};
}

void Drive::step() {
  const StorageRead command = commands.read();
  bytes_.resize(command.bytes);
  contents_(command.first, bytes_);
  for (std::size_t at = 0; at < bytes_.size();) {
    const std::size_t count = std::min(StoragePiece::kMost, bytes_.size() - at);
    timer_.wait(transfer_time(Bytes{static_cast<std::int64_t>(count)}, rate_));
    StoragePiece& piece = data.slot();
    piece.bytes = static_cast<std::uint16_t>(count);
    std::memcpy(piece.data.data(), bytes_.data() + at, count);
    at += count;
  }
  completed.push({});
}

StorageReads::StorageReads(const StorageSpec& spec, const StoredMessages& messages)
    : message_(messages.bytes),
      most_(static_cast<std::uint64_t>(spec.read_size.count)),
      end_(messages.bytes * static_cast<std::uint64_t>(messages.count)),
      depth_(spec.queue_depth),
      free_(spec.queue_depth),
      queue_(kStorageQueue, spec.queue_depth, Occupancy::with(completed)) {}

void StorageReads::step() {
  if (at_ == end_ || free_ == 0) await_completion();
  if (at_ == end_) return;
  const std::uint64_t of_message = at_ % message_;
  if (of_message == 0) begun_.push_back(timer_.now());
  const std::uint64_t bytes = std::min(most_, message_ - of_message);
  --free_;
  queue_.take();
  commands.push({.first = at_, .bytes = static_cast<std::uint32_t>(bytes)});
  at_ += bytes;
}

void StorageReads::await_completion() {
  completed.read();
  queue_.came_back();
  ++free_;
}

void StorageWords::step() {
  if (piece_ == nullptr) piece_ = &in.read_in_place();
  StreamWord& word = out.slot();
  std::memcpy(word.data.bytes.data(), piece_->data.data() + at_, kWordBytes);
  at_ += kWordBytes;
  handed_ += kWordBytes;
  word.last = handed_ == message_;
  if (word.last) handed_ = 0;
  if (at_ < piece_->bytes) return;
  piece_ = nullptr;
  at_ = 0;
}

}  // namespace isthmus::fabric
