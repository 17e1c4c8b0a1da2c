#include "isthmus/fabric/host_channels.hpp"

#include <algorithm>
#include <cmath>

namespace isthmus::fabric {

HostChannels::HostChannels(Bandwidth rate, const std::optional<InterleaveSpec>& interleave)
    : byte_time_fs_(1e15 / rate.bytes_per_second) {
  const auto [channels, piece] = interleave.value_or(InterleaveSpec{.channels = 1, .piece = {}});
  piece_ = static_cast<std::uint64_t>(piece.count);
  queue_ = at_rate_of_all(piece.count * (channels - 1));
  free_.resize(static_cast<std::size_t>(channels));
}

ChannelTimes HostChannels::move(Time now, std::uint64_t addr, std::int64_t bytes) {
  if (free_.size() == 1) return spread(now, bytes);
  ChannelTimes times;
  const auto channels = static_cast<std::int64_t>(free_.size());
  const std::uint64_t end = addr + static_cast<std::uint64_t>(bytes);
  for (std::uint64_t at = addr; at < end;) {
    const std::uint64_t piece = at / piece_;
    const std::uint64_t next = std::min(end, (piece + 1) * piece_);
    load(free_[piece % free_.size()], now, at_rate_of_all(static_cast<std::int64_t>(next - at) * channels), times);
    at = next;
  }
  return held(times, bytes);
}

ChannelTimes HostChannels::spread(Time now, std::int64_t bytes) {
  ChannelTimes times;
  for (Time& free : free_) load(free, now, at_rate_of_all(bytes), times);
  return held(times, bytes);
}

void HostChannels::load(Time& free, Time now, Time busy, ChannelTimes& times) const {
  const Time begin = std::max(free, now);
  free = begin + busy;
  times.waited = std::max(times.waited, begin - now);
  times.moved = std::max(times.moved, free - now);
}

ChannelTimes HostChannels::held(ChannelTimes times, std::int64_t bytes) const {
  times.held = std::max(at_rate_of_all(bytes), times.moved - queue_);
  return times;
}

Time HostChannels::at_rate_of_all(std::int64_t bytes) const {
  return Time::fs(std::llround(static_cast<double>(bytes) * byte_time_fs_));
}

}  // namespace isthmus::fabric
