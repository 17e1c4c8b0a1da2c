#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
///
/// A period is kept as whole femtoseconds and 64 binary digits of the rest, rounded up. What edge k is too late by then
/// stays below (k + 1) / 2^64, and what is cut off is a multiple of 1 / D, D being the least common denominator of all
/// edges: so the whole part is exact as long as (k + 1) * D <= 2^64. Later edges are computed in 128 bits.
class Grid {
 public:
  Grid() = default;
  /// Throws Error if the frequency is not above 0 or the phase is outside [0, 1).
  explicit Grid(const Clock& clock);

  bool clocked() const { return numerator_ != 0; }
  /// The time of edge `k` >= 0 in femtoseconds; kNever where it lies past the end of time.
  [[gnu::always_inline]] std::int64_t edge(Tick k) const {
    if (static_cast<std::uint64_t>(k) >= quick_edges_) [[unlikely]]
      return clocked() ? late_edge(k) : k;
    const std::int64_t at = first_ + k * period_.whole;
    return even() ? at : at + carried(k);
  }
  /// The time from edge `begin` to edge `end`, in femtoseconds.
  std::int64_t between(Tick begin, Tick end) const {
    return even() ? (end - begin) * period_.whole : edge(end) - edge(begin);
  }
  /// Tells whether all edges are equally far apart.
  bool even() const { return period_.rest == 0; }
  /// The first k >= 0 with edge(k) >= time; kNever where there is none.
  Tick first_at_or_after(std::int64_t time) const {
    if (time == kNever || !clocked()) return std::max<Tick>(time, 0);
    if (time <= first_) return first_ == kNever ? kNever : 0;
    // An edge before `time`, and seldom not the last.
    const auto before = static_cast<std::uint64_t>(time - first_ - 1);
    auto k = static_cast<Tick>(high_product(before, inverse_.digits) >> inverse_.shift) + 1;
    std::int64_t at = edge(k);
    while (at < time) [[unlikely]] at = edge(++k);
    return at == kNever ? kNever : k;
  }
  /// The last k with edge(k) <= time; -1 where even edge(0) is later.
  Tick last_at_or_before(std::int64_t time) const;
  /// Tells whether both have the same frequency and phase.
  bool same_edges(const Grid& other) const;
  /// A period in femtoseconds, for messages and estimates.
  double period() const { return nearly_; }

 private:
  static std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{a} * b) >> 64);
  }
  /// The whole femtoseconds that the rests of `k` periods and of the first edge come to.
  std::int64_t carried(Tick k) const {
    __extension__ using Wide = unsigned __int128;
    const Wide rests = Wide{static_cast<std::uint64_t>(k)} * period_.rest + first_rest_;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(rests >> 64));
  }
  /// Computes edges in 128 bits that `edge` cannot tell; needs a clock.
  [[gnu::cold]] std::int64_t late_edge(Tick k) const;
  void prepare();

  /// Femtoseconds and 2^-64 of them.
  struct Fixed {
    std::int64_t whole = 1;
    std::uint64_t rest = 0;
  };
  /// digits / 2^(64 + shift).
  struct Fraction {
    std::uint64_t digits = 0;
    int shift = 0;
  };

  std::uint64_t quick_edges_ = kNever;  ///< number of edges that `edge` tells by itself
  Fixed period_;
  std::int64_t first_ = 0;  ///< edge(0)
  std::uint64_t first_rest_ = 0;
  Fraction inverse_;            ///< digits of 1 / period
  std::int64_t numerator_ = 0;  ///< hertz = numerator / denominator, in lowest terms; 0: no clock
  std::int64_t denominator_ = 1;
  std::int64_t phase_numerator_ = 0;
  std::int64_t phase_denominator_ = 1;
  double nearly_ = 1;  ///< a period as a double
};

/// Maps a tick at which one end of a channel acts to the first tick at which the other end sees it.
class Crossing {
 public:
  Crossing() = default;
  /// Both grids outlive it.
  Crossing(const Grid& from, const Grid& to, std::int64_t latency, int synchroniser);

  /// Tells whether both ends count the same edges, so that crossing is an addition.
  bool direct() const { return direct_; }
  std::int64_t latency() const { return latency_; }
  /// Tells whether what is done at tick `act` of this end can be seen at tick `at` of the other: map(act) <= at.
  bool seen_by(Tick act, Tick at) const {
    if (!uneven_) {
      if (direct_) return act + latency_ <= at;
      if (act >= 0 && act <= last_even_) return evenly(act) <= at;
    }
    if (act < 0) return at >= 0;  // the slot was never used
    if (act >= kNever - latency_) return false;
    const std::int64_t time = from_->edge(act + latency_);
    return at >= synchroniser_ && time <= to_->edge(at - synchroniser_) && time != kNever;
  }
  /// Of any `moves` acts at different ticks of this end, the distance in ticks of the other end is less than `moves` by
  /// at most this number.
  Tick bunching(Tick moves) const { return rounding_ + (moves * shrinking_ >> kShareBits); }
  Tick map(Tick tick) const {
    if (direct_) [[likely]]
      return tick >= kNever - latency_ ? kNever : tick + latency_;
    if (!uneven_ && tick >= 0 && tick <= last_even_) return evenly(tick);
    return map_between_clocks(tick);
  }

 private:
  static constexpr int kShareBits = 32;

  void prepare_even();
  Tick map_between_clocks(Tick tick) const;
  Tick evenly(Tick tick) const { return std::max<Tick>(tick * share_ + beyond_, 0) + synchroniser_; }

  // The first fields are all that a direct crossing needs.
  std::int64_t latency_ = 1;
  int synchroniser_ = 0;
  bool direct_ = true;
  bool uneven_ = false;  ///< not direct, and a period of this end is no whole number of the other's
  const Grid* from_ = nullptr;
  const Grid* to_ = nullptr;
  Tick rounding_ = 0;           ///< ticks that rounding may take away from a distance
  std::int64_t shrinking_ = 0;  ///< the part of a tick that is lost with each move, in 2^-kShareBits
  // These fields hold if a period of this end is such a whole number, up to a tick at which no product overflows.
  Tick last_even_ = -1;
  Tick share_ = 0;   ///< that whole number
  Tick beyond_ = 0;  ///< tick at which the other end sees tick 0, without the synchroniser
};

}  // namespace isthmus
