#include "isthmus/engine/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kFemtosecondsPerSecond = 1'000'000'000'000'000;
// With this bound on numerator * denominator * phase denominator no product below leaves 128 bits.
constexpr Wide kLargestProduct = static_cast<Wide>(40'000'000'000) * 1'000'000'000'000;

}  // namespace

Grid::Grid(const Clock& clock) {
  const auto [num, den] = clock.frequency;
  if (num > 0 && den > 0 && static_cast<Wide>(num) > kFemtosecondsPerSecond * den)
    throw Error(fmt::format("a clock of {}/{} Hz: expected 1e15 Hz at most, an edge a femtosecond", num, den));
  if (num <= 0 || den <= 0) throw Error(fmt::format("a clock of {}/{} Hz: expected a frequency above 0", num, den));
  const auto common = std::gcd(num, den);
  numerator_ = num / common;
  denominator_ = den / common;
  if (clock.phase_denominator <= 0 || clock.phase_numerator < 0 || clock.phase_numerator >= clock.phase_denominator)
    throw Error(fmt::format("a clock phase of {}/{}: expected a fraction in [0, 1)", clock.phase_numerator,
                            clock.phase_denominator));
  const auto phase_common = std::gcd(clock.phase_numerator, clock.phase_denominator);
  phase_numerator_ = clock.phase_numerator / phase_common;
  phase_denominator_ = clock.phase_denominator / phase_common;
  if (numerator_ > kLargestProduct / phase_denominator_ / denominator_)
    throw Error(
        fmt::format("a clock of {}/{} Hz with a phase of {}/{}: expected smaller terms (their product up to 4e22)", num,
                    den, clock.phase_numerator, clock.phase_denominator));
  period_ = 1e15 * static_cast<double>(denominator_) / static_cast<double>(numerator_);
  const Wide period = kFemtosecondsPerSecond * denominator_;
  if (period % numerator_ == 0 && period / numerator_ <= std::numeric_limits<std::int64_t>::max() / 2) {
    offset_ = edge(0);
    whole_period_ = static_cast<std::int64_t>(period / numerator_);
  }
}

std::int64_t Grid::broken_edge(Tick k) const {
  // k * period beyond the end of time would also leave 128 bits below.
  if (static_cast<double>(k) * period() > 9.3e18) return kNever;
  const Wide twice_divisor = static_cast<Wide>(2) * phase_denominator_ * numerator_;
  const Wide phased = static_cast<Wide>(k) * phase_denominator_ + phase_numerator_;
  // floor(x + 1/2); the factor 1e15 * den is applied to quotient and remainder apart so that nothing overflows.
  const Wide factor = 2 * kFemtosecondsPerSecond * denominator_;
  const Wide quotient = phased / twice_divisor;
  const Wide remainder = phased % twice_divisor;
  const Wide result = quotient * factor + (remainder * factor + twice_divisor / 2) / twice_divisor;
  return result >= kNever ? kNever : static_cast<std::int64_t>(result);
}

Tick Grid::first_broken_at_or_after(std::int64_t time) const {
  auto k = std::max<Tick>(0, static_cast<Tick>(static_cast<double>(time) / period()));
  if (const std::int64_t near = edge(k); near >= time) {
    if (near != kNever && (k == 0 || edge(k - 1) < time)) return k;
  } else if (const std::int64_t next = edge(k + 1); next >= time) {
    return next == kNever ? kNever : k + 1;
  }
  // The estimate's error grows with k: step back by powers of two until below, then search.
  Tick step = 2;
  while (k > 0 && edge(k) >= time) {
    k -= step;
    step *= 2;
  }
  if (k < 0) k = 0;
  if (edge(k) >= time) return k;
  Tick reach = 1;
  while (edge(k + reach) < time) reach *= 2;
  Tick low = k;
  Tick high = k + reach;
  while (high - low > 1) {
    const Tick middle = low + (high - low) / 2;
    (edge(middle) < time ? low : high) = middle;
  }
  return edge(high) == kNever ? kNever : high;
}

Tick Grid::last_at_or_before(std::int64_t time) const {
  if (!clocked()) return time;
  if (time == kNever) --time;  // no edge lies at the very end
  const Tick first = first_at_or_after(time);
  if (first == kNever) {
    Tick low = 0;
    Tick high = static_cast<Tick>(9.3e18 / period()) + 2;
    while (high - low > 1) {
      const Tick middle = low + (high - low) / 2;
      (edge(middle) <= time && edge(middle) != kNever ? low : high) = middle;
    }
    return low;
  }
  return edge(first) == time ? first : first - 1;
}

bool Grid::same_edges(const Grid& other) const {
  return numerator_ == other.numerator_ && denominator_ == other.denominator_ &&
         phase_numerator_ == other.phase_numerator_ && phase_denominator_ == other.phase_denominator_;
}

Crossing::Crossing(const Grid& from, const Grid& to, std::int64_t latency, int synchroniser)
    : latency_(latency),
      synchroniser_(synchroniser),
      direct_(from.same_edges(to) && synchroniser == 0),
      from_(from),
      to_(to) {}

Tick Crossing::map_between_clocks(Tick tick) const {
  if (tick >= kNever - latency_) return kNever;
  const Tick seen = to_.first_at_or_after(from_.edge(tick + latency_));
  return seen >= kNever - synchroniser_ ? kNever : seen + synchroniser_;
}

}  // namespace isthmus
