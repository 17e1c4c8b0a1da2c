#pragma once

#include <algorithm>
#include <vector>

#include "isthmus/apps/image_flows.hpp"

namespace isthmus::apps {

/// When something happened to each of the first images of a stream.
class Instants {
 public:
  void note(Time now) {
    if (at_.size() < kImagesTold) at_.push_back(now);
  }
  const std::vector<Time>& times() const { return at_; }

 private:
  std::vector<Time> at_;
};

/// What the host sees of an image's way: acquire of its first buffer, commit of its last, receive of its last.
struct StreamInstants {
  Time start;
  const Instants& acquired;
  const Instants& committed;
  const std::vector<Time>& received;
};

inline std::vector<std::vector<Step>> first_images(const StreamInstants& instants) {
  const auto at = [&instants](const std::vector<Time>& of, std::size_t image) { return of[image] - instants.start; };
  std::vector<std::vector<Step>> images;
  for (std::size_t i = 0; i < std::min<std::size_t>(instants.received.size(), kImagesTold); ++i) {
    const Time committed = at(instants.committed.times(), i);
    images.push_back({{.name = "acquire to commit", .begin = at(instants.acquired.times(), i), .end = committed},
                      {.name = "commit to receive", .begin = committed, .end = at(instants.received, i)}});
  }
  return images;
}

}  // namespace isthmus::apps
