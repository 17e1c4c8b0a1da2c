#pragma once

#include <vector>

#include "apps/stream_flow.hpp"
#include "isthmus/platform/description.hpp"

namespace isthmus::apps {

/// A stream of which every packet and word was a token.
struct FineStream {
  StreamRun stream;            ///< without a word on its bytes
  std::vector<Time> received;  ///< when each frame was there, from the first acquire on
};

/// Streams the first `frames` of the job's frames; what comes back goes to `images`.
FineStream stream_finely(const platform::Description& board, const FilterJob& job, int frames, ImageExchange& images);

}  // namespace isthmus::apps
