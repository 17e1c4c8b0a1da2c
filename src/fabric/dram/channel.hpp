#pragma once

#include "fabric/dram/commands.hpp"
#include "fabric/dram/queue.hpp"
#include "fabric/dram/turn.hpp"

namespace isthmus::fabric::dram {

/// What the controller keeps of its channel: commands, queues, the direction of the bus, and its clock.
class Channel {
 public:
  Channel(const DramSpec& spec, DramObserver* observer)
      : commands_(spec, observer),
        clock_({.frequency = spec.clock}),
        burst_bytes_(static_cast<std::uint64_t>(spec.burst_bytes().count)),
        reads_(spec.queue_depth),
        writes_(spec.queue_depth),
        turn_(spec.read_group, spec.write_group) {}

  Direction first() const { return turn_.first(); }

  /// Serves a request that came at `came`, from `now` on; returns the time of its last column command.
  Time serve(Direction direction, std::uint64_t address, std::uint64_t bytes, Time came, Time now) {
    const std::uint64_t first = address / burst_bytes_;
    const auto bursts = static_cast<std::int64_t>((address + bytes - 1) / burst_bytes_ - first + 1);
    Queue& queue = direction == Direction::read ? reads_ : writes_;
    const Cycle entered = clock_.first_at_or_after(queue.entered(bursts, came).femtoseconds());
    const Cycle start = clock_.first_at_or_after(now.femtoseconds());
    commands_.refresh(start);
    const Time last = Time::fs(clock_.edge(commands_.access(direction, first, bursts, entered, start)));
    queue.served(bursts, last);
    turn_.served(direction, bursts);
    return last;
  }

 private:
  Commands commands_;
  Grid clock_;
  std::uint64_t burst_bytes_;
  Queue reads_;
  Queue writes_;
  Turn turn_;
};

}  // namespace isthmus::fabric::dram
