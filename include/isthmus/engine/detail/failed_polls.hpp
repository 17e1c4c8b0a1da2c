#pragma once

#include <cstdint>
#include <memory>

#include "isthmus/engine/clock.hpp"

namespace isthmus::engine {

class SilentInputs;
struct Channel;

/// What a failed poll looked for; a sleeping actor is woken when a poll for it would succeed.
enum class Poll : std::uint8_t { token, room, closed };

struct FailedPoll {
  Channel* channel;
  Poll what;
  Tick at;
  const SilentInputs* inputs = nullptr;  ///< inputs that were polled together, in place of a channel
};

/// The failed polls of a step. One is written down as often as a token moves, and a vector would call a function for
/// each.
class FailedPolls {
 public:
  [[gnu::always_inline]] void add(const FailedPoll& poll) {
    if (end_ == limit_) [[unlikely]]
      return add_to_more(poll);
    *end_++ = poll;
  }
  bool empty() const { return end_ == begin(); }
  void clear() { end_ = begin(); }
  /// Forgets the polls from `from` on.
  void erase_from(FailedPoll* from) { end_ = from; }
  FailedPoll* begin() { return storage_.get(); }
  FailedPoll* end() { return end_; }
  const FailedPoll* begin() const { return storage_.get(); }
  const FailedPoll* end() const { return end_; }

 private:
  /// Makes room first. Nothing follows it, so that `add` keeps nothing on the stack.
  [[gnu::cold, gnu::noinline]] void add_to_more(FailedPoll poll);

  FailedPoll* end_ = nullptr;
  FailedPoll* limit_ = nullptr;
  std::unique_ptr<FailedPoll[]> storage_;
};

}  // namespace isthmus::engine
