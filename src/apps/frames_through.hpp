#pragma once

#include "isthmus/apps/target.hpp"

namespace isthmus::apps {

/// Sends the frames of `job` from `first` on through the filter's circuit, word by word, without a link and a host: the
/// bytes of a stream, not its times. Throws Interrupted after Ctrl-C.
void send_through_circuit(const FilterJob& job, int first, ImageExchange& images);

}  // namespace isthmus::apps
