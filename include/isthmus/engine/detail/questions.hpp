#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "isthmus/engine/clock.hpp"

namespace isthmus::engine {

class SilentInputs;
struct Channel;

/// What a "no" was about, so that a sleeping actor can be woken when it turns to "yes".
enum class Ask : std::uint8_t { token, room, closed };

struct Question {
  Channel* channel;
  Ask ask;
  Tick at;
  const SilentInputs* inputs = nullptr;  ///< that were told together, in place of a channel
};

/// Those of a step that were told "no". One is written down as often as a token moves, and a vector calls a function
/// for each.
class Questions {
 public:
  void add(const Question& question) {
    if (end_ == limit_) [[unlikely]]
      grow();
    *end_++ = question;
  }
  bool empty() const { return end_ == begin(); }
  void clear() { end_ = begin(); }
  /// Forgets those from `from` on.
  void erase_from(Question* from) { end_ = from; }
  Question* begin() { return storage_.get(); }
  Question* end() { return end_; }
  const Question* begin() const { return storage_.get(); }
  const Question* end() const { return end_; }

 private:
  [[gnu::cold, gnu::noinline]] void grow();

  Question* end_ = nullptr;
  Question* limit_ = nullptr;
  std::unique_ptr<Question[]> storage_;
};

}  // namespace isthmus::engine
