#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "isthmus/base/units.hpp"

namespace isthmus {

/// An actor's own unit of time: a cycle number where it has a clock, a femtosecond where it has none.
using Tick = std::int64_t;

/// Later than every tick: what never happens.
inline constexpr Tick kNever = std::numeric_limits<Tick>::max();

/// A clock as a person describes it. `phase` is a fraction of a period in [0, 1). Clocks that name the same PLL need no
/// synchroniser between them.
struct Clock {
  Frequency frequency{};
  std::int64_t phase_numerator = 0;
  std::int64_t phase_denominator = 1;
  std::string pll{};
};

/// The edges of a clock, exact for ever: edge(k) = round((k + phase) * 1e15 / Hz), halves up (docs/time.md). Without a
/// clock every femtosecond is an edge.
class Grid {
 public:
  Grid() = default;
  /// Throws Error if the frequency is not above 0 or the phase is outside [0, 1).
  explicit Grid(const Clock& clock);

  bool clocked() const { return numerator_ != 0; }
  /// The time of edge `k` >= 0 in femtoseconds; kNever where it lies past the end of time.
  std::int64_t edge(Tick k) const {
    if (k == kNever || !clocked()) return k;
    if (whole_period_ == 0) return broken_edge(k);
    std::int64_t product = 0;
    std::int64_t sum = 0;
    const bool past_the_end =
        __builtin_mul_overflow(k, whole_period_, &product) || __builtin_add_overflow(product, offset_, &sum);
    return past_the_end ? kNever : sum;
  }
  /// The time from edge `begin` to edge `end`, in femtoseconds.
  std::int64_t between(Tick begin, Tick end) const {
    return whole_period_ != 0 ? (end - begin) * whole_period_ : edge(end) - edge(begin);
  }
  /// From any edge to the next it is as long as from any other.
  bool even() const { return whole_period_ != 0 || !clocked(); }
  /// The first k >= 0 with edge(k) >= time; kNever where there is none.
  Tick first_at_or_after(std::int64_t time) const {
    if (time == kNever || !clocked()) return std::max<Tick>(time, 0);
    if (whole_period_ == 0) return first_broken_at_or_after(time);
    return time <= offset_ ? 0 : (time - offset_ - 1) / whole_period_ + 1;
  }
  /// The last k with edge(k) <= time; -1 where even edge(0) is later.
  Tick last_at_or_before(std::int64_t time) const;
  /// The same frequency and phase.
  bool same_edges(const Grid& other) const;
  /// A period in femtoseconds, for messages and estimates.
  double period() const { return period_; }

 private:
  /// An edge of a clock whose period is no whole number of femtoseconds.
  std::int64_t broken_edge(Tick k) const;
  Tick first_broken_at_or_after(std::int64_t time) const;

  std::int64_t numerator_ = 0;  // hertz = numerator / denominator, in lowest terms; 0: no clock
  std::int64_t denominator_ = 1;
  std::int64_t phase_numerator_ = 0;
  std::int64_t phase_denominator_ = 1;
  std::int64_t whole_period_ = 0;  // femtoseconds, where a period is a whole number of them
  std::int64_t offset_ = 0;        // edge(0) then
  double period_ = 1;              // nearly
};

/// Maps a tick at which one end of a channel acts to the first tick at which the other end sees it.
class Crossing {
 public:
  Crossing() = default;
  Crossing(const Grid& from, const Grid& to, std::int64_t latency, int synchroniser);

  /// Both ends count the same edges, so that crossing is an addition.
  bool direct() const { return direct_; }
  std::int64_t latency() const { return latency_; }
  Tick map(Tick tick) const {
    if (direct_) [[likely]]
      return tick >= kNever - latency_ ? kNever : tick + latency_;
    return map_between_clocks(tick);
  }

 private:
  Tick map_between_clocks(Tick tick) const;

  // First what is all that a direct one needs.
  std::int64_t latency_ = 1;
  int synchroniser_ = 0;
  bool direct_ = true;
  Grid from_;
  Grid to_;
};

}  // namespace isthmus
