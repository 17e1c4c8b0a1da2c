#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "isthmus/engine/clock.hpp"
#include "isthmus/engine/state.hpp"

namespace isthmus::engine {

using Activity = State;

/// A span of an actor's life that was not busy, in its own ticks.
struct Span {
  Tick begin;
  Tick end;
  Tick period;  ///< period of the steps of which it is made; 0 if it may be cut anywhere
  Activity activity;
};

/// Spans that are alike, `every` ticks from one to the next. Waits come like this if traffic is regular.
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
  /// The length of the first `spans` of them together, in femtoseconds.
  std::int64_t length(Tick spans, const Grid& grid) const;
};

/// Spans in the order of time, none empty.
class Spans {
 public:
  Spans() { grow(); }
  /// Adds a span, and joins it to the last one if they touch and are alike.
  void add(const Span& span);
  /// Adds a span if it continues the last periodic span; else does nothing and returns false.
  bool prolong(const Span& span) {
    return end_[-1].first.period == span.period && prolong(span.begin, told_apart(span));
  }
  /// Adds a span that may be cut anywhere if it continues the last periodic span; else does nothing and returns false.
  /// This runs as often as a token moves.
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
  /// Forgets the spans that end by `tick`, and makes room for as many as are left.
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
  /// A number that differs for spans of different length or activity. No such number equals a length below 1.
  static Tick told_apart(Tick length, Activity activity) {
    constexpr Tick kOther = Tick{1} << 62;
    return activity == Activity::starved ? length : length + kOther;
  }
  /// The same for a span: one that is made of steps differs from one that may be cut anywhere.
  static Tick told_apart(const Span& span) {
    constexpr Tick kOfSteps = Tick{1} << 61;
    const Tick length = told_apart(span.end - span.begin, span.activity);
    return span.period == 0 ? length : length + kOfSteps;
  }
  /// Counts the spans that `prolong` has added.
  void count_last() const {
    if (next_begin_ != kNever) end_[-1].count = (next_begin_ - end_[-1].first.begin) / every_;
  }

  Tick next_begin_ = kNever;  ///< begin of a span that would continue the last periodic span
  Tick length_ = 0;           ///< length of each span in it, as `told_apart` gives it
  Tick every_ = 0;
  PeriodicSpan* end_ = nullptr;
  PeriodicSpan* limit_ = nullptr;
  std::unique_ptr<PeriodicSpan[]> storage_;  ///< the first is a sentinel, which is empty and touches nothing
};

}  // namespace isthmus::engine
