#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isthmus/base/units.hpp"

namespace isthmus::fabric {

/// The distribution of addresses over the channels of a memory.
struct InterleaveSpec {
  int channels;
  Bytes piece;  ///< bytes that follow each other on a channel before the next channel's begin
};

/// The times of an access, from when it is taken.
struct ChannelTimes {
  Time waited;  ///< until the last of its channels begins with it
  Time moved;   ///< until its last byte is moved
  Time held;    ///< until the next may be taken
};

/// The channels of the host's memory, as the part that knows when each has moved what it was asked for; the bytes
/// are their actor's.
///
/// Each channel has its share of the rate and moves the pieces of accesses in the order in which they are taken. An
/// access is taken when the one before is through at the rate of all channels, and no sooner than the channels of that
/// one have room behind it. A channel's queue has room for what a stream at the rate of all brings to it more than it
/// moves meanwhile: `piece` * (channels - 1) / channels.
class HostChannels {
 public:
  /// `rate` is that of all together. Without an interleave they are one.
  HostChannels(Bandwidth rate, const std::optional<InterleaveSpec>& interleave);

  /// Moves the bytes from `addr` on.
  ChannelTimes move(Time now, std::uint64_t addr, std::int64_t bytes);
  /// Moves bytes that lie nobody knows where: the same number on each channel.
  ChannelTimes spread(Time now, std::int64_t bytes);

 private:
  Time at_rate_of_all(std::int64_t bytes) const;
  void load(Time& free, Time now, Time busy, ChannelTimes& times) const;
  ChannelTimes held(ChannelTimes times, std::int64_t bytes) const;

  double byte_time_fs_;  ///< at the rate of all
  std::uint64_t piece_;
  Time queue_;              ///< time in which a channel moves what its queue has room for
  std::vector<Time> free_;  ///< for each channel, when it has moved all that it was asked for
};

}  // namespace isthmus::fabric
