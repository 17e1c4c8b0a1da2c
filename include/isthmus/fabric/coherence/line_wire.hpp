#pragma once

#include <algorithm>

#include "isthmus/engine/clock.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/messages.hpp"

namespace isthmus::fabric {

inline bool carries_line(const HomeAnswer& answer) {
  return answer.has_data;
}
inline bool carries_line(const SnoopAnswer& answer) {
  return answer.has_data;
}
inline bool carries_line(const WriteBack& /*message*/) {
  return true;
}

/// The time of a line on the wire between a cache and its home, each way.
struct LineWireSpec {
  Time to_home;
  Time from_home;
};

/// The wire of one kind of message: one begins when the line before it has left. What is shorter
/// than a line takes no time.
template <class Message>
class LineWire {
 public:
  In<Message> in{"in"};
  Out<Message> out{"out"};

  LineWire(const Clock& clock, Time line) : grid_(clock), line_(line) {}

  void step() {
    const Message* message = in.front();
    if (message == nullptr || !out.room()) return timer_.wait(in, out);
    const bool line = carries_line(*message);
    out.slot() = *message;
    in.pull_in_place();
    if (!line) return;
    const Tick now = grid_.first_at_or_after(timer_.now().femtoseconds());
    // it may have become free since the last edge
    free_ = std::max(free_, Time::fs(grid_.edge(std::max<Tick>(now - 1, 0)))) + line_;
    const Tick next = std::max(grid_.first_at_or_after(free_.femtoseconds()), now + 1);
    timer_.wait_until(Time::fs(grid_.edge(next - 1)));  // this step takes a cycle
  }

 private:
  Timer timer_;
  Grid grid_;
  Time line_;
  Time free_;
};

}  // namespace isthmus::fabric
