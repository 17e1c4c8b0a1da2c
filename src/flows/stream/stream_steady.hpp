#pragma once

#include <span>

#include "flows/stream/stream_flow.hpp"
#include "isthmus/platform/description.hpp"

/// The time of a long stream, from those of short ones: equal messages are a pipeline that becomes steady.
namespace isthmus::program {

/// Messages of two streams that are one steady stretch apart: in both it fills and drains.
struct Lengths {
  int shorter;
  int longer;
  Time round{};  ///< period of the porter, within which it sees the end of a stream
};

/// The shorter one passes each buffer of the pools twice; the longer one lasts so many of the porter's rounds more that
/// one of them matters little.
Lengths steady_lengths(const platform::Description& board, const ByteApplication& application);

/// Tells whether the second half of the stretch between the lengths took as long for a message as the first, but for
/// what a round of the porter leaves open. `received` are the ends of the longer one's messages.
bool is_steady(std::span<const Time> received, const Lengths& lengths);

/// Whether messages do not fall further and further behind those that begin: else their latencies grow until a buffer
/// is full, and the pace may become another one. `latencies` are those of the messages of `received`.
bool keeps_up(std::span<const Time> latencies, std::span<const Time> received, const Lengths& lengths);

/// A stream of `count` messages, at the pace that the longer one has beyond the shorter.
BoardRun extend(const BoardRun& shorter, const BoardRun& longer, const Lengths& lengths, int count);

}  // namespace isthmus::program
