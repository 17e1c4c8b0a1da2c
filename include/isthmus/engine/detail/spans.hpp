#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "isthmus/engine/clock.hpp"
#include "isthmus/engine/trace.hpp"

namespace isthmus::engine {

using Activity = State;

/// A span of an actor's life that was not busy, in its own ticks.
struct Span {
  Tick begin;
  Tick end;
  Tick period;  ///< of the steps it is made of; 0 where it may be cut anywhere
  Activity activity;
};

/// Spans that are alike, `every` ticks from one to the next: waits come so where traffic is regular.
struct PeriodicSpan {
  Span first;
  Tick every;
  Tick count;

  Span at(Tick i) const { return {first.begin + i * every, first.end + i * every, first.period, first.activity}; }
  Span last() const { return at(count - 1); }
  /// The number of spans that end by `tick`.
  Tick ended_by(Tick tick) const {
    if (first.end > tick) return 0;
    return count == 1 ? 1 : std::min(count, (tick - first.end) / every + 1);
  }
  /// What the first `spans` of them come to, in femtoseconds.
  std::int64_t length(Tick spans, const Grid& grid) const;
};

/// Spans in the order of time, none empty.
class Spans {
 public:
  Spans() { grow(); }
  /// Joins the span to the last where they touch and are alike.
  void add(const Span& span);
  /// Adds a span that may be cut anywhere if it is the next of the last periodic span, else does nothing and returns
  /// false: as hot as a token.
  [[gnu::always_inline]] bool prolong(Tick begin, Tick end, Activity activity) {
    return prolong(begin, told_apart(end - begin, activity));
  }
  const PeriodicSpan* begin() const {
    count_last();
    return first();
  }
  const PeriodicSpan* end() const {
    count_last();
    return end_;
  }
  bool full() const { return end_ == limit_; }
  /// Forgets what ends by `tick` and makes room for as much as is left.
  void drop(Tick tick);

 private:
  PeriodicSpan* first() const { return storage_.get() + 1; }
  void append(const Span& span);
  void grow();
  [[gnu::always_inline]] bool prolong(Tick begin, Tick length) {
    if (begin != next_begin_ || length != length_) return false;
    next_begin_ += every_;
    return true;
  }
  /// None is equal to a length below 1.
  static Tick told_apart(Tick length, Activity activity) {
    constexpr Tick kOther = Tick{1} << 62;
    return activity == Activity::starved ? length : length + kOther;
  }
  /// Nor what is made of steps to what may be cut anywhere.
  static Tick told_apart(const Span& span) {
    constexpr Tick kOfSteps = Tick{1} << 61;
    const Tick length = told_apart(span.end - span.begin, span.activity);
    return span.period == 0 ? length : length + kOfSteps;
  }
  /// What `prolong` leaves undone.
  void count_last() const {
    if (next_begin_ != kNever) end_[-1].count = (next_begin_ - end_[-1].first.begin) / every_;
  }

  Tick next_begin_ = kNever;  ///< of what would prolong the last periodic span
  Tick length_ = 0;           ///< of its spans, `told_apart`
  Tick every_ = 0;
  PeriodicSpan* end_ = nullptr;
  PeriodicSpan* limit_ = nullptr;
  std::unique_ptr<PeriodicSpan[]> storage_;  ///< the first is none and touches nothing
};

}  // namespace isthmus::engine
