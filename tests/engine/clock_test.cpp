// The arithmetic of clocks, against integers that cannot overflow.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <isthmus/engine/clock.hpp>
#include <isthmus/engine/detail/channel.hpp>

#include "base/refusal.hpp"
#include "engine/dice.hpp"

namespace isthmus::reference {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

/// round((k + p/q) * 1e15 * den / num), halves up, without a bound.
cpp_int exact_edge(const Clock& clock, const cpp_int& k) {
  const cpp_int top =
      (k * clock.phase_denominator + clock.phase_numerator) * 1'000'000'000'000'000 * clock.frequency.denominator;
  const cpp_int bottom = cpp_int(clock.phase_denominator) * clock.frequency.numerator;
  return (2 * top + bottom) / (2 * bottom);
}

/// The last edge that a Time can hold.
cpp_int last_edge(const Clock& clock) {
  cpp_int low = 0, high = cpp_int(1) << 80;
  while (high - low > 1) {
    const cpp_int middle = (low + high) / 2;
    (exact_edge(clock, middle) < kEnd ? low : high) = middle;
  }
  return low;
}

bool allowed(const Clock& clock) {
  const cpp_int terms = cpp_int(clock.frequency.numerator) * clock.frequency.denominator * clock.phase_denominator;
  const bool in_time = exact_edge(clock, 0) < kEnd;
  return terms <= cpp_int("40000000000000000000000") && clock.frequency.hertz() <= 1e15 && in_time;
}

Clock random_clock(Dice& dice) {
  Clock clock;
  do {
    clock.frequency = {dice.one_of<std::int64_t>({1, 7, 1'000, 33'333'333, 156'250'000, 300'000'000, 322'265'625,
                                                  1'000'000'007, 999'999'999'999'989, 1'000'000'000'000'000}),
                       dice.one_of<std::int64_t>({1, 2, 3, 64, 1001, 1'000'000'007})};
    clock.phase_denominator = dice.one_of<std::int64_t>({1, 2, 3, 4, 360, 1'000'003});
    clock.phase_numerator = dice.between(0, clock.phase_denominator - 1);
  } while (!allowed(clock));
  return clock;
}

/// One of a few femtoseconds, where roundings count most, or any.
Clock random_or_toy_clock(Dice& dice) {
  if (dice.chance(50)) return random_clock(dice);
  Clock clock;
  clock.frequency = {1'000'000'000'000'000 * dice.between(1, 3), dice.between(6, 29)};
  clock.phase_denominator = dice.between(1, 5);
  clock.phase_numerator = dice.between(0, clock.phase_denominator - 1);
  return clock;
}

/// Cycles over the whole of time: of every size, and near its ends.
std::int64_t random_cycle(Dice& dice, std::int64_t last) {
  if (dice.chance(20)) return std::min<std::int64_t>(last, dice.between(0, 10'000));
  if (dice.chance(25)) return std::max<std::int64_t>(0, last - dice.between(0, 3));
  return std::min(last, dice.between(0, std::int64_t{1} << dice.number(0, 62)));
}

TEST(Clock, AnEdgeIsTheExactTimeRoundedHalvesUpToTheEndOfTime) {
  Dice dice(1);
  for (int i = 0; i < 3000; ++i) {
    const Clock clock = random_clock(dice);
    const auto last = static_cast<std::int64_t>(last_edge(clock));
    const auto k = random_cycle(dice, last);
    ASSERT_EQ(cpp_int(Grid(clock).edge(k)), exact_edge(clock, k))
        << k << " of " << last << ", " << clock.frequency.hertz() << " Hz";
    ASSERT_EQ(Grid(clock).edge(last + 1), kNever);
    ASSERT_EQ(Grid(clock).edge(kEnd), kNever);
  }
}

TEST(Clock, HalvesRoundUp) {
  const Grid grid({{2'000'000'000'000'000, 5}, 0, 1, ""});  // a period of 2.5 fs
  const std::int64_t edges[] = {0, 3, 5, 8, 10, 13};
  for (int k = 0; k < 6; ++k) EXPECT_EQ(grid.edge(k), edges[k]);
  EXPECT_EQ(Grid({{1'000'000'000'000'000, 1}, 1, 2, ""}).edge(4), 5) << "4.5 fs";
}

TEST(Clock, FirstAtOrAfterIsTheInverseOfEdge) {
  Dice dice(2);
  for (int i = 0; i < 3000; ++i) {
    const Clock clock = random_clock(dice);
    const Grid grid(clock);
    const auto last = static_cast<std::int64_t>(last_edge(clock));
    const auto k = random_cycle(dice, last);
    const auto time = grid.edge(k);
    ASSERT_EQ(grid.first_at_or_after(time), k);
    ASSERT_EQ(grid.last_at_or_before(time), k);
    ASSERT_EQ(grid.edge(grid.first_at_or_after(time + 1)), grid.edge(k + 1)) << clock.frequency.hertz();
    ASSERT_EQ(grid.last_at_or_before(time - 1), k - 1);
  }
}

TEST(Clock, NoTimeLiesBetweenTheEdgesAroundIt) {
  Dice dice(3);
  for (int i = 0; i < 3000; ++i) {
    const Clock clock = random_clock(dice);
    const Grid grid(clock);
    const auto time = dice.chance(20) ? kEnd - dice.between(1, 1000) : dice.between(0, kEnd - 1);
    const auto after = grid.first_at_or_after(time);
    const auto before = grid.last_at_or_before(time);
    ASSERT_TRUE(after == kNever || grid.edge(after) >= time);
    ASSERT_TRUE(after == kNever || after == 0 || grid.edge(after - 1) < time);
    ASSERT_TRUE(before == -1 || grid.edge(before) <= time);
    ASSERT_GT(grid.edge(before + 1), time);
  }
}

TEST(Clock, WhoseFirstEdgeLiesPastTheEndOfTimeHasNone) {
  const Grid grid({{7, 1'000'000'007}, 1, 2, ""});
  EXPECT_EQ(grid.edge(0), kNever);
  EXPECT_EQ(grid.first_at_or_after(0), kNever);
  EXPECT_EQ(grid.last_at_or_before(kEnd - 1), -1);
}

TEST(Clock, EdgesOfClocksOfOneSourceFallTogetherForEver) {
  // 300 and 200 MHz meet every 10 ns, which is 3 and 2 cycles; 10.3125 GHz / 32 and / 66 every 33 and 16 cycles.
  const Grid fast({Frequency::mhz(300), 0, 1, "pll"}), slow({Frequency::mhz(200), 0, 1, "pll"});
  const Grid line({{10'312'500'000, 32}, 0, 1, "pll"}), word({{10'312'500'000, 66}, 0, 1, "pll"});
  Dice dice(4);
  for (int i = 0; i < 1000; ++i) {
    const auto n = dice.between(0, 900'000'000'000);
    ASSERT_EQ(fast.edge(3 * n), slow.edge(2 * n));
    ASSERT_EQ(line.edge(33 * (n / 16)), word.edge(16 * (n / 16)));
  }
  EXPECT_EQ(fast.edge(3 * 900'000'000'000), 9'000'000'000'000'000'000);
}

TEST(Clock, WithoutAClockEveryFemtosecondIsAnEdge) {
  const Grid grid;
  EXPECT_FALSE(grid.clocked());
  EXPECT_EQ(grid.edge(17), 17);
  EXPECT_EQ(grid.first_at_or_after(kEnd - 1), kEnd - 1);
}

TEST(Clock, TermsThatAreNotReducedMakeTheSameClock) {
  EXPECT_TRUE(Grid({{300'000'000, 1}, 1, 2, ""}).same_edges(Grid({{600'000'000, 2}, 3, 6, ""})));
  EXPECT_FALSE(Grid({{300'000'000, 1}, 1, 2, ""}).same_edges(Grid({{300'000'000, 1}, 0, 2, ""})));
}

TEST(Clock, WhatIsNoFrequencyOrPhaseIsRefusedWithItsValue) {
  const auto message = [](const Clock& clock) { return refusal([&] { static_cast<void>(Grid(clock)); }); };
  EXPECT_NE(message({{0, 1}, 0, 1, ""}).find("0/1 Hz"), std::string::npos);
  EXPECT_NE(message({{-5, 1}, 0, 1, ""}).find("-5/1 Hz"), std::string::npos);
  EXPECT_NE(message({{5, 0}, 0, 1, ""}).find("5/0 Hz"), std::string::npos);
  EXPECT_NE(message({{5, 1}, 3, 3, ""}).find("3/3"), std::string::npos);
  EXPECT_NE(message({{5, 1}, -1, 3, ""}).find("-1/3"), std::string::npos);
  EXPECT_NE(message({{5, 1}, 0, 0, ""}).find("0/0"), std::string::npos);
  EXPECT_NE(message({{2'000'000'000'000'000, 1}, 0, 1, ""}), "") << "two edges in one femtosecond";
}

TEST(Crossing, IsTheFirstEdgeOfTheOtherClockPlusTheSynchroniser) {
  Dice dice(5);
  for (int i = 0; i < 3000; ++i) {
    const Clock from = random_or_toy_clock(dice), to = random_or_toy_clock(dice);
    const Grid from_grid(from), to_grid(to);
    const int latency = dice.number(1, 9), synchroniser = dice.number(0, 3);
    const auto last_from = static_cast<std::int64_t>(last_edge(from)),
               last_to = static_cast<std::int64_t>(last_edge(to));
    const auto k = random_cycle(dice, last_from);
    const Crossing crossing{from_grid, to_grid, latency, synchroniser};
    if (crossing.direct()) continue;
    cpp_int expected = kNever;
    if (cpp_int(k) + latency <= last_from) {
      const cpp_int time = exact_edge(from, k + latency);
      cpp_int low = -1, high = cpp_int(last_to) + 1;
      while (high - low > 1) {
        const cpp_int middle = (low + high) / 2;
        (exact_edge(to, middle) < time ? low : high) = middle;
      }
      if (high + synchroniser <= last_to) expected = exact_edge(to, high + synchroniser);
    }
    ASSERT_EQ(cpp_int(to_grid.edge(crossing.map(k))), expected)
        << k << " at " << from.frequency.hertz() << " to " << to.frequency.hertz();
  }
}

TEST(Crossing, IsSeenByATickIfItIsSeenAtItOrBefore) {
  Dice dice(6);
  for (int i = 0; i < 3000; ++i) {
    const Grid from(random_or_toy_clock(dice)), to(random_or_toy_clock(dice));
    const Crossing crossing{from, to, dice.number(1, 9), dice.number(0, 3)};
    const Tick act = random_cycle(dice, from.last_at_or_before(kEnd));
    const Tick seen = crossing.map(act);
    if (seen == kNever) {
      ASSERT_FALSE(crossing.seen_by(act, random_cycle(dice, to.last_at_or_before(kEnd))));
      continue;
    }
    const Tick at = std::max<Tick>(0, seen + dice.between(-3, 3));
    ASSERT_EQ(crossing.seen_by(act, at), seen <= at) << act << " seen at " << seen << ", asked at " << at;
  }
}

TEST(Crossing, BringsActsNoCloserTogetherThanItSays) {
  Dice dice(7);
  for (int i = 0; i < 1000; ++i) {
    const Clock from_clock = random_or_toy_clock(dice), to_clock = random_or_toy_clock(dice);
    const Grid from(from_clock), to(to_clock);
    const Crossing crossing{from, to, dice.number(1, 3), dice.number(0, 2)};
    const Tick first = dice.between(0, 1000), moves = dice.between(1, 100);
    for (Tick act = first, before = 0; before < moves; act += dice.one_of<Tick>({1, 1, 1, 2}), ++before) {
      if (crossing.map(act) == kNever) break;
      const Tick apart = crossing.map(act) - crossing.map(first);
      ASSERT_GE(apart, before - crossing.bunching(moves))
          << act << " and " << first << " at " << from_clock.frequency.hertz() << " to " << to_clock.frequency.hertz();
    }
  }
}

TEST(Crossing, OfASlotThatWasNeverUsedIsSeenFromTheStart) {
  const Grid from({Frequency::mhz(300), 0, 1, ""}), to({Frequency::mhz(250), 1, 2, ""});
  const Crossing crossing{from, to, 1, 2};
  EXPECT_EQ(crossing.map(engine::kLongAgo), 0);
  EXPECT_TRUE(crossing.seen_by(engine::kLongAgo, 0));
}

}  // namespace
}  // namespace isthmus::reference
