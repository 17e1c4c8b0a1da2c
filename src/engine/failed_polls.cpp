#include "isthmus/engine/detail/failed_polls.hpp"

#include <algorithm>

namespace isthmus::engine {

void FailedPolls::add_to_more(FailedPoll poll) {
  constexpr std::size_t kFirst = 8;
  const auto kept = static_cast<std::size_t>(end_ - begin());
  const std::size_t room = std::max(kFirst, 2 * kept);
  auto larger = std::make_unique<FailedPoll[]>(room);
  std::copy(begin(), end_, larger.get());
  storage_ = std::move(larger);
  end_ = begin() + kept;
  limit_ = begin() + room;
  *end_++ = poll;
}

}  // namespace isthmus::engine
