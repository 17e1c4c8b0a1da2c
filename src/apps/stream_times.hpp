#pragma once

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
  const Instants& received;
};

inline std::vector<std::vector<Step>> first_images(const StreamInstants& instants) {
  const auto at = [&instants](const Instants& of, std::size_t image) { return of.times()[image] - instants.start; };
  std::vector<std::vector<Step>> images;
  for (std::size_t i = 0; i < instants.received.times().size(); ++i) {
    const Time committed = at(instants.committed, i);
    images.push_back({{.name = "acquire to commit", .begin = at(instants.acquired, i), .end = committed},
                      {.name = "commit to receive", .begin = committed, .end = at(instants.received, i)}});
  }
  return images;
}

}  // namespace isthmus::apps
