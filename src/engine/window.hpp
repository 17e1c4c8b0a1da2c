#pragma once

#include "isthmus/engine/channel.hpp"

// Windows: the stretch of a ring in which a port moves tokens without a look at the rest of the channel.

namespace isthmus::engine {

/// Windows hold ticks of one end as ticks of the other: for channels whose ends count the same cycles.
bool may_have_windows(const Channel& channel);

/// Brings the port's count up to date and its cursor back into the ring, and opens its window as far as is known to be
/// safe. For channels with windows.
void open_writer_window(Channel& channel);
void open_reader_window(Channel& channel);

/// Moves the port on by a token, in a channel without windows.
void step_cursor(const Channel& channel, PortState& port);

}  // namespace isthmus::engine
