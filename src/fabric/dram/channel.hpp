#pragma once

#include <algorithm>

#include "fabric/dram/commands.hpp"
#include "fabric/dram/turn.hpp"
#include "isthmus/fabric/delay_line.hpp"

namespace isthmus::fabric::dram {

/// A request that came at a port of the controller.
struct Request {
  Direction direction;
  std::uint64_t address;
  std::uint64_t bytes;
  Time came;
};

/// What the controller keeps of its channel: commands, queues, the direction of the bus, and its clock.
class Channel {
 public:
  Channel(const DramSpec& spec, DramObserver* observer)
      : commands_(spec, observer),
        clock_({.frequency = spec.clock}),
        burst_bytes_(static_cast<std::uint64_t>(spec.burst_bytes().count)),
        depth_(spec.queue_depth),
        reads_(spec.queue_depth),
        writes_(spec.queue_depth),
        turn_(spec.read_group, spec.write_group) {}

  Direction first() const { return turn_.first(); }

  /// Serves a request from `now` on; returns the time of its last column command, until when its bursts are `waiting`.
  Time serve(const Request& request, Time now, Occupancy& waiting) {
    const std::uint64_t first = request.address / burst_bytes_;
    const auto bursts = static_cast<std::int64_t>((request.address + request.bytes - 1) / burst_bytes_ - first + 1);
    Entries& queue = request.direction == Direction::read ? reads_ : writes_;
    const std::int64_t places = std::min(bursts, depth_);
    const Time room = queue.take(places);
    const Time entered = std::max(request.came, room);
    const Cycle start = clock_.first_at_or_after(now.femtoseconds());
    commands_.refresh(start);
    const Time last = Time::fs(clock_.edge(
        commands_.access(request.direction, first, bursts, clock_.first_at_or_after(entered.femtoseconds()), start)));
    queue.give(last, places);
    turn_.served(request.direction, bursts);
    waiting.hold(room, entered, last, bursts);
    return last;
  }

 private:
  Commands commands_;
  Grid clock_;
  std::uint64_t burst_bytes_;
  std::int64_t depth_;
  Entries reads_;
  Entries writes_;
  Turn turn_;
};

}  // namespace isthmus::fabric::dram
