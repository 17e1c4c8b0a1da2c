#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "isthmus/base/units.hpp"
#include "isthmus/engine/timer.hpp"

/// Many requests under way at once, each with a finishing time of its own.
///
/// These are classes that an actor uses, not an actor, for what decides the finishing time belongs to that actor: a
/// DRAM controller has its banks, host memory its tags and bytes, an IOMMU its TLB. A part between two channels would
/// have to be told all that in a token, would copy each token once more, and would add its channels' latency to each.
/// - A DRAM controller places commands in the order of service and knows at once when each entry of its queue is back:
///   it needs `Entries` alone.
/// - The walkers of an IOMMU are `Entries` as well: a walk begins when it is asked for and one of them is free.
/// - Host memory keeps requests until their data is there, which need not be in the order of asking: a `DelayLine`.
namespace isthmus::fabric {

/// A limited number of entries: since when, or from when on, each is free.
class Entries {
 public:
  /// Throws Error for a size below 1.
  explicit Entries(std::int64_t size);

  /// The number of entries that are not taken.
  std::int64_t free() const { return count_; }
  /// Takes `amount` entries, 1 or more, but no more than are free: those first that have been free for longest. Returns
  /// since when, or from when on, all of them are free; 0 where none was taken before. What comes first is to take
  /// first.
  Time take(std::int64_t amount = 1);
  /// Gives `amount` entries back, 1 or more, which are free from `at` on, which may lie ahead.
  void give(Time at, std::int64_t amount = 1);

 private:
  struct Free {
    Time since;
    std::int64_t count;
  };
  Free& record(std::size_t i) { return ring_[(first_ + i) & (ring_.size() - 1)]; }

  std::vector<Free> ring_;  ///< ascending from `first_` on, because entries mostly become free in that order
  std::size_t first_ = 0;
  std::size_t records_ = 1;
  std::int64_t count_;
};

struct DelayLineSpec {
  std::int64_t entries;   ///< requests under way at most, 1 or more
  Time least;             ///< least time of a request; above 0 if the line is not in order
  bool in_order = false;  ///< whether requests leave in the order in which they entered
};

/// The times at which a request went through a DelayLine.
struct Passage {
  Time room;   ///< time since which there was an entry for the request (see Occupancy::hold)
  Time begin;  ///< time at which the request entered: when it came, or later when there was room
  Time end;    ///< time at which the request may leave
};

/// Requests that wait for their finishing times, a bounded number of them. One that comes while the line is full waits
/// outside until another has left. The first to finish leaves first; of several that finish at one instant the one
/// that entered first leaves first; in order, none overtakes.
///
///     void step() {
///       if (line.empty()) enter(in.read());
///       for (Request request; !line.full() && in.pull(request);) enter(request);
///       if (!line.await(timer)) return;
///       out.push(line.next());
///       line.leave(timer.now());
///     }
///     void enter(const Request& request) { line.enter(in.came(), latency_of(request), request); }
///     bool done() const { return false; }  // its input may be drained before the line is empty: `read` ends it
///
/// A request counts from when it came, not from when the actor took it. So the actor need not look at every arrival:
/// in order it sleeps until the next may leave, else until then or for `least`, in which nothing can come and leave
/// again. What it owes is that each request enters before those that came later. The slot of a request in the channel
/// to the actor is free when the actor takes it: that channel is as deep as what comes while the actor sleeps, if its
/// writer is not to be slowed.
///
/// Requests are moved about as they leave: a T of many bytes is better kept elsewhere, with its place here.
template <class T>
class DelayLine {
 public:
  /// Throws Error for a spec that cannot be.
  explicit DelayLine(const DelayLineSpec& spec);

  bool empty() const { return held_.empty(); }
  bool full() const { return entries_.free() == 0; }

  /// A request that came at `came` and takes `latency` once it has an entry; the line is not full. Throws Error for a
  /// latency below the least.
  Passage enter(Time came, Time latency, T request);

  /// The request that leaves next, while the line is not empty, and when it may.
  const T& next() const { return held_.front().request; }
  Time next_end() const { return held_.front().end; }
  /// Takes it off the line; its entry is free from `now` on.
  void leave(Time now);

  /// The time before which no request can leave: none of the line, and none that comes after `now`. The line is not
  /// empty.
  Time quiet_until(Time now) const;
  /// Tells whether the next may leave now. If not, lets time pass; then look at what has come before asking again.
  bool await(Timer& timer) const;

 private:
  struct Held {
    Time end;
    std::uint64_t order;
    T request;
  };
  static bool after(const Held& one, const Held& other) {
    return one.end != other.end ? one.end > other.end : one.order > other.order;
  }

  DelayLineSpec spec_;
  Entries entries_;
  std::vector<Held> held_;  ///< a heap, with the request that leaves next on top
  std::uint64_t entered_ = 0;
  Time last_end_;  ///< latest `end` of the requests that have entered
};

/// Throws Error for what the constructor and `enter` of a DelayLine refuse.
void check(const DelayLineSpec& spec);
void check_latency(const DelayLineSpec& spec, Time latency);

template <class T>
DelayLine<T>::DelayLine(const DelayLineSpec& spec) : spec_(spec), entries_(spec.entries) {
  check(spec);
}

template <class T>
Passage DelayLine<T>::enter(Time came, Time latency, T request) {
  check_latency(spec_, latency);
  const Time room = entries_.take();
  const Time begin = std::max(came, room);
  Time end = begin + latency;
  if (spec_.in_order) end = std::max(end, last_end_);
  last_end_ = std::max(end, last_end_);
  held_.push_back({.end = end, .order = entered_++, .request = std::move(request)});
  std::push_heap(held_.begin(), held_.end(), after);
  return {.room = room, .begin = begin, .end = end};
}

template <class T>
void DelayLine<T>::leave(Time now) {
  std::pop_heap(held_.begin(), held_.end(), after);
  held_.pop_back();
  entries_.give(now);
}

// A full line, and one in order, let nothing in that could leave before what is next.
template <class T>
Time DelayLine<T>::quiet_until(Time now) const {
  if (spec_.in_order || full()) return next_end();
  return std::min(next_end(), now + spec_.least);
}

template <class T>
bool DelayLine<T>::await(Timer& timer) const {
  const Time now = timer.now();
  if (next_end() <= now) return true;
  timer.wait_until(quiet_until(now));
  return false;
}

}  // namespace isthmus::fabric
