#pragma once

#include <algorithm>

#include "isthmus/engine/timer.hpp"
#include "isthmus/fabric/coherence/messages.hpp"
#include "isthmus/fabric/delay_line.hpp"

namespace isthmus::fabric {

/// The port by which a processor takes the snoops of its interconnect (AMBA ACE: channels AC, CR and CD).
struct SnoopPortSpec {
  Time interval;           ///< time from one snoop to the next
  Time data;               ///< additional time of an answer with the line's bytes
  int data_in_flight = 1;  ///< answers with bytes that may be under way
};

/// The path of snoops to a cache, which takes one in each interval.
class SnoopPace {
 public:
  In<Snoop> in{"in"};
  Out<Snoop> out{"out"};

  explicit SnoopPace(Time interval) : interval_(interval) {}
  void step() {
    const Snoop snoop = in.read();
    const Time begin = std::max(free_, in.came());
    free_ = begin + interval_;
    timer_.wait_until(begin);
    out.push(snoop);
  }

 private:
  Timer timer_;
  Time interval_;
  Time free_;  ///< time at which the next snoop may go
};

/// The path of answers to them, in their order: those that bring the line's bytes take longer, a limited
/// number of them at once.
class SnoopData {
 public:
  In<SnoopAnswer> in{"in"};
  Out<SnoopAnswer> out{"out"};

  explicit SnoopData(const SnoopPortSpec& spec) : latency_(spec.data), entries_(spec.data_in_flight) {}
  void step() {
    const SnoopAnswer& answer = in.read_in_place();
    if (answer.has_data && answer.wanted) {
      const Time room = entries_.take();
      const Time there = std::max(in.came(), room) + latency_;
      entries_.give(there);
      timer_.wait_until(there);
    }
    out.slot() = answer;
  }

 private:
  Timer timer_;
  Time latency_;
  Entries entries_;
};

}  // namespace isthmus::fabric
