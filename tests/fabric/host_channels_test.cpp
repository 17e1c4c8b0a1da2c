// The channels of a host's memory one by one: by closed forms, and by a model that moves byte after byte.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "fabric/pcie_bench.hpp"

namespace isthmus::fabric {
namespace {

/// Rates of which a byte's time, and that of a byte on one channel, is a whole number of femtoseconds.
double any_rate() {
  return *rc::gen::element(1.0, 2.0, 4.0, 8.0, 10.0);
}

InterleaveSpec any_interleave() {
  return {.channels = *rc::gen::inRange(1, 13), .piece = Bytes{*rc::gen::element(64, 256, 1024, 4096)}};
}

/// Channels again, byte after byte.
class NaiveChannels {
 public:
  NaiveChannels(double gbps, const InterleaveSpec& spec)
      : byte_fs_(static_cast<std::int64_t>(1e6 / gbps)), spec_(spec), free_(static_cast<std::size_t>(spec.channels)) {}

  /// When the last byte is moved.
  std::int64_t move(std::int64_t now, std::uint64_t addr, std::int64_t bytes) {
    std::int64_t last = now;
    for (std::uint64_t at = addr; at < addr + static_cast<std::uint64_t>(bytes); ++at) {
      std::int64_t& free = free_[channel(at)];
      free = std::max(free, now) + byte_fs_ * spec_.channels;
      last = std::max(last, free);
    }
    return last;
  }
  /// The bytes that the fullest of an access's channels has not moved.
  double waiting(std::int64_t now, std::uint64_t addr, std::int64_t bytes) const {
    std::int64_t most = 0;
    for (std::uint64_t at = addr; at < addr + static_cast<std::uint64_t>(bytes); ++at)
      most = std::max(most, free_[channel(at)] - now);
    return static_cast<double>(most) / static_cast<double>(byte_fs_ * spec_.channels);
  }

 private:
  std::size_t channel(std::uint64_t at) const {
    return at / static_cast<std::uint64_t>(spec_.piece.count) % static_cast<std::size_t>(spec_.channels);
  }
  std::int64_t byte_fs_;
  InterleaveSpec spec_;
  std::vector<std::int64_t> free_;
};

RC_GTEST_PROP(HostChannels, MoveBytesWhenTheNaiveModelDoesAndKeepNoMoreThanTheirQueuesHold, ()) {
  const double gbps = any_rate();
  const InterleaveSpec spec = any_interleave();
  HostChannels channels(Bandwidth::gb_per_second(gbps), spec);
  NaiveChannels naive(gbps, spec);
  const double room = static_cast<double>(spec.piece.count) * (spec.channels - 1) / spec.channels;
  const std::uint64_t window = *rc::gen::element(256U, 1U << 14U, 1U << 20U);
  std::int64_t now = 0;
  for (int i = 0; i < 100; ++i) {
    const auto addr = *rc::gen::inRange<std::uint64_t>(0, window);
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, 600);
    const ChannelTimes times = channels.move(Time::fs(now), addr, bytes);
    RC_ASSERT(now + times.moved.femtoseconds() == naive.move(now, addr, bytes));
    RC_ASSERT(times.waited < times.moved);
    now += times.held.femtoseconds();
    RC_ASSERT(naive.waiting(now, addr, bytes) <= room + 1e-9);
    now += *rc::gen::element<std::int64_t>(0, 0, 50'000'000);
  }
}

RC_GTEST_PROP(HostChannels, TogetherNeverExceedTheRate, ()) {
  const double gbps = any_rate();
  HostChannels channels(Bandwidth::gb_per_second(gbps), any_interleave());
  Time now;
  Time last;
  std::int64_t all = 0;
  for (int i = 0; i < 200; ++i) {
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, 600);
    const bool anywhere = *rc::gen::arbitrary<bool>();
    const ChannelTimes times = anywhere ? channels.spread(now, bytes)
                                        : channels.move(now, *rc::gen::inRange<std::uint64_t>(0, 1U << 16U), bytes);
    last = std::max(last, now + times.moved);
    now += times.held;
    all += bytes;
    RC_ASSERT(static_cast<double>(all) <= gbps * static_cast<double>(last.femtoseconds()) * 1e-6 + 1e-6);
  }
}

RC_GTEST_PROP(HostChannels, GiveAStreamTheRateOfAllHoweverSmallItsAccessesAre, ()) {
  const double gbps = any_rate();
  HostChannels channels(Bandwidth::gb_per_second(gbps), any_interleave());
  const auto bytes = *rc::gen::inRange<std::int64_t>(1, 600);
  Time now;
  for (int i = 0; i < 1000; ++i) {
    const ChannelTimes times = channels.move(now, static_cast<std::uint64_t>(i * bytes), bytes);
    now += times.held;
  }
  const double least = static_cast<double>(1000 * bytes) / gbps;  // ns
  RC_ASSERT(static_cast<double>(now.femtoseconds()) * 1e-6 <= least + 64 * 4096 / gbps);
}

RC_GTEST_PROP(HostChannels, OneAloneIsAsNone, ()) {
  const Bandwidth rate = Bandwidth::gb_per_second(*rc::gen::inRange(1, 300) / 3.0);
  HostChannels one(rate, InterleaveSpec{.channels = 1, .piece = Bytes{64}});
  HostChannels none(rate, {});
  Time now;
  for (int i = 0; i < 100; ++i) {
    const auto bytes = *rc::gen::inRange<std::int64_t>(0, 4097);
    const ChannelTimes times = one.move(now, *rc::gen::inRange<std::uint64_t>(0, 1U << 20U), bytes);
    RC_ASSERT(times.moved == none.move(now, 0, bytes).moved);
    RC_ASSERT(times.held == times.moved);
    RC_ASSERT(times.waited == Time{});
    now += times.held;
  }
}

// ---- behind a link

constexpr double kRate = 8;  // GB/s
constexpr int kChannels = 4;

HostMemorySpec of_channels(std::int64_t piece) {
  HostMemorySpec memory{Bandwidth::gb_per_second(kRate)};
  memory.interleave = {.channels = kChannels, .piece = Bytes{piece}};
  return memory;
}

TEST(HostChannels, AStreamOverALinkGetsTheRateOfAll) {
  for (const std::int64_t piece : {64, 256, 4096}) {
    const LinkRun reads = run_link(busy_link(), {.reads = 4000}, of_channels(piece));
    EXPECT_NEAR(reads.read_gbps, kRate, 0.02 * kRate) << piece;
    const LinkRun writes = run_link(busy_link(), {.writes = 4000}, of_channels(piece));
    EXPECT_NEAR(writes.write_gbps, kRate, 0.02 * kRate) << piece;
    EXPECT_TRUE(reads.read_back_right && writes.written_right);
  }
}

TEST(HostChannels, AccessesThatStayOnOneGetItsShare) {
  constexpr int kWords = 256 / kWordBytes;
  const Traffic traffic{.read_words = kWords, .write_words = kWords, .gap_words = (kChannels - 1) * kWords};
  for (const bool read : {true, false}) {
    Traffic one_way = traffic;
    (read ? one_way.reads : one_way.writes) = 2000;
    const LinkRun run = run_link(busy_link(), one_way, of_channels(256));
    EXPECT_NEAR(read ? run.read_gbps : run.write_gbps, kRate / kChannels, 0.03 * kRate / kChannels);
    EXPECT_TRUE(run.read_back_right && run.written_right);
  }
}

TEST(HostChannels, AnIdleReadMovesAtTheRateOfItsChannelsAlone) {
  const auto first = [](std::int64_t piece, int words) {
    return run_link(fine_link(), {.reads = 1, .read_words = words}, of_channels(piece)).first_word.seconds() * 1e9;
  };
  const auto moves = [](std::int64_t bytes) { return static_cast<double>(bytes) * kChannels / kRate; };  // ns
  constexpr double kEdge = 0.5;                                                                          // ns
  EXPECT_NEAR(first(256, 4) - first(64, 4), moves(256 - 64), kEdge);
  EXPECT_NEAR(first(256, 8) - first(64, 8), moves(256 - 128), kEdge);
}

}  // namespace
}  // namespace isthmus::fabric
