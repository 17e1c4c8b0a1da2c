#include "isthmus/engine/clock.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

__extension__ using Wide = __int128;

constexpr Wide kFemtosecondsPerSecond = 1'000'000'000'000'000;
// With this bound on numerator * denominator * phase denominator no product below leaves 128 bits.
constexpr Wide kLargestProduct = static_cast<Wide>(40'000'000'000) * 1'000'000'000'000;
constexpr Wide kAllDigits = static_cast<Wide>(1) << 64;

Wide gcd(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

/// rest / divisor in units of 2^-64; rest < divisor <= 2^64.
std::uint64_t rounded_up(Wide rest, Wide divisor) {
  __extension__ using Unsigned = unsigned __int128;
  const auto digits = static_cast<Unsigned>(rest) << 64;
  return static_cast<std::uint64_t>((digits + static_cast<Unsigned>(divisor) - 1) / static_cast<Unsigned>(divisor));
}

/// divisor / period, which is at most 1, as digits / 2^(64 + shift), rounded down: to 64 digits that count, or to where
/// a product with a time is less than half a tick too small.
std::pair<std::uint64_t, int> inverse(Wide period, Wide divisor) {
  constexpr int kMostDigits = 127;
  std::uint64_t digits = 0;
  int count = 0;
  Wide rest = divisor;
  for (; digits >> 63 == 0 && count < kMostDigits; ++count) {
    rest *= 2;
    const bool one = rest >= period;
    if (one) rest -= period;
    digits = digits << 1 | static_cast<std::uint64_t>(one);
  }
  return {digits, count - 64};
}

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
  nearly_ = 1e15 * static_cast<double>(denominator_) / static_cast<double>(numerator_);
  prepare();
}

/// Prepares what lets `edge` and its inverse compute without a division.
void Grid::prepare() {
  // edge(k) = floor((k * period + first) / divisor)
  Wide period = 2 * kFemtosecondsPerSecond * denominator_ * phase_denominator_;
  Wide divisor = static_cast<Wide>(2) * phase_denominator_ * numerator_;
  const Wide first =
      2 * kFemtosecondsPerSecond * denominator_ * phase_numerator_ + static_cast<Wide>(phase_denominator_) * numerator_;
  const Wide common = gcd(period, divisor);
  period /= common;
  divisor /= common;
  const Wide whole = period / divisor;
  first_ = late_edge(0);
  const auto [digits, shift] = inverse(period, divisor);
  inverse_ = {digits, shift};
  if (divisor > kAllDigits || whole > kNever / 2) {
    period_.rest = 1;  // not even; otherwise unused
    quick_edges_ = 0;
    return;
  }
  period_ = {static_cast<std::int64_t>(whole), rounded_up(period % divisor, divisor)};
  first_rest_ = rounded_up(first / common % divisor, divisor);
  const Wide exact = kAllDigits / divisor;
  const Wide before_the_end = (kNever - first_ - 1) / (whole + 1);
  quick_edges_ = static_cast<std::uint64_t>(std::min(exact, before_the_end));
}

std::int64_t Grid::late_edge(Tick k) const {
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

Tick Grid::last_at_or_before(std::int64_t time) const {
  if (!clocked()) return time;
  if (time == kNever) --time;  // no edge lies at the very end
  const Tick first = first_at_or_after(time);
  if (first == kNever) {
    Tick low = -1;
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
      from_(&from),
      to_(&to) {
  // Acts at the distance of m periods are seen more than (m * from - 2) / to - 1 ticks apart: each time is rounded by
  // less than a femtosecond, and a period takes one at least.
  constexpr Tick kMostRounded = 3;
  prepare_even();
  const double ticks = from.period() / to.period();
  if (direct_ || ticks > 1 + 3 / to.period() + 1e-9) return;
  rounding_ = kMostRounded;
  if (ticks < 1) shrinking_ = static_cast<std::int64_t>((1 - ticks) * static_cast<double>(1LL << kShareBits)) + 1;
}

void Crossing::prepare_even() {
  uneven_ = !direct_;
  if (direct_ || !from_->clocked() || !to_->clocked() || !from_->even() || !to_->even()) return;
  const std::int64_t period = from_->between(0, 1);
  const std::int64_t other = to_->between(0, 1);
  if (period % other != 0) return;
  share_ = period / other;
  // ceil((edge of `latency_` - first edge of the other) / other), which may lie before the other's first
  const std::int64_t ahead = from_->edge(latency_) - to_->edge(0);
  beyond_ = ahead / other + (ahead % other > 0 ? 1 : 0);
  last_even_ = kNever / 4 / period - latency_;
  uneven_ = false;
}

Tick Crossing::map_between_clocks(Tick tick) const {
  if (tick >= kNever - latency_) return kNever;
  if (tick < 0) return 0;  // a slot that was never used
  const Tick seen = to_->first_at_or_after(from_->edge(tick + latency_));
  return seen >= kNever - synchroniser_ ? kNever : seen + synchroniser_;
}

}  // namespace isthmus
