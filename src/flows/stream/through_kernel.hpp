#pragma once

#include "application/run.hpp"
#include "isthmus/application/exchange.hpp"

namespace isthmus::program {

/// Sends the messages of `job` from `first` on through the application's actors, word by word, without a link and a
/// host: the bytes of a stream, not its times. Throws Interrupted after Ctrl-C.
void send_through_kernel(const Job& job, int first, Exchange& messages);

}  // namespace isthmus::program
