#pragma once

#include "isthmus/engine/channel.hpp"

// Windows: the stretch of a ring in which a port moves tokens without a look at the rest of the channel.

namespace isthmus::engine {

/// Brings the port's count up to date and its cursor back into the ring, and opens its window as far as is known to be safe.
void open_writer_window(Channel& channel);
void open_reader_window(Channel& channel);

}  // namespace isthmus::engine
