// A core whose next line a circuit fetches: the bytes that it gets, and when.
#include "isthmus/shared/queues/look_ahead.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "isthmus/base/error.hpp"

namespace isthmus::queues {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAreArray;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::ThrowsMessage;

constexpr std::size_t kLine = 64;
constexpr std::uint32_t kLines = 512;
constexpr HandOver kAll[] = {HandOver::none, HandOver::poll, HandOver::poll_uncached, HandOver::mmio, HandOver::umsg};

std::vector<std::byte> data() {
  std::vector<std::byte> bytes(kLines * kLine);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / kLine);
  return bytes;
}

/// Each line once, far from the one before.
std::vector<std::uint32_t> each_once() {
  std::vector<std::uint32_t> lines(kLines);
  for (std::uint32_t i = 0; i < kLines; ++i) lines[i] = i * 197 % kLines;
  return lines;
}

struct Asked {
  HandOver hand_over = HandOver::none;
  Time work = Time::ns(1000);
  std::uint64_t reach = kLines * kLine;
  std::vector<std::uint32_t> lines = each_once();
  std::vector<std::string> overrides{};
  const char* board = "model:xeon-fpga-v2";
};

LookAheadRun run(const Asked& asked, std::vector<std::vector<std::byte>>* seen = nullptr) {
  const platform::Description board = platform::load(platform::file_of(asked.board), asked.overrides);
  LookAheadBoard with(board, data());
  return with.run({.hand_over = asked.hand_over,
                   .work = asked.work,
                   .reach = asked.reach,
                   .lines = asked.lines,
                   .visit = [seen](std::size_t place, std::span<const std::byte> line) {
                     if (seen == nullptr) return;
                     EXPECT_EQ(place, seen->size());
                     seen->emplace_back(line.begin(), line.end());
                   }});
}

Time mean(const std::vector<Time>& reads) {
  const Time all = std::accumulate(reads.begin(), reads.end(), Time{});
  return Time::fs(all.femtoseconds() / static_cast<std::int64_t>(reads.size()));
}

TEST(LookAhead, GivesTheCoreEachLinesBytesInItsOrderWhoeverFetchedIt) {
  const std::vector<std::byte> bytes = data();
  for (const char* board : {"model:xeon-fpga-v1", "model:xeon-fpga-v2"})
    for (const HandOver hand_over : kAll) {
      std::vector<std::vector<std::byte>> seen;
      const Asked asked{.hand_over = hand_over, .work = Time::ns(300), .board = board};
      run(asked, &seen);
      ASSERT_EQ(seen.size(), asked.lines.size());
      for (std::size_t i = 0; i < seen.size(); ++i)
        EXPECT_THAT(seen[i], ElementsAreArray(bytes.data() + asked.lines[i] * kLine, kLine));
    }
}

// v2, in cycles of 2.5 ns: 4 there and 4 back are a hit; a miss adds 4 to the home and 4 back, 20 of memory, and a
// cycle each that home and cache take to begin.
TEST(LookAhead, WithoutACircuitALineTakesWhatMemoryTakesAndThenWhatTheCacheTakes) {
  Asked asked{.lines = each_once()};
  asked.lines.insert(asked.lines.end(), asked.lines.begin(), asked.lines.end());
  const std::vector<Time> reads = run(asked).reads;
  const std::vector<Time> first(reads.begin(), reads.begin() + kLines);
  const std::vector<Time> second(reads.begin() + kLines, reads.end());
  EXPECT_THAT(second, Each(Time::ns(20)));
  EXPECT_THAT(first, Each(AllOf(Ge(Time::ns(90)), Le(Time::ns(100)))));
}

TEST(LookAhead, OfAStoreToARegisterFetchesWhileTheCoreWorks) {
  const std::vector<Time> reads = run({.hand_over = HandOver::mmio}).reads;
  const std::vector<Time> ahead(reads.begin() + 1, reads.end());
  EXPECT_THAT(ahead, Each(Time::ns(20)));
}

TEST(LookAhead, HelpsByEveryWayWhereTheWorkIsLongAndByNoneWhereItIsShort) {
  const Time alone = mean(run({}).reads);
  for (const HandOver hand_over : {HandOver::poll, HandOver::poll_uncached, HandOver::mmio, HandOver::umsg}) {
    EXPECT_LT(mean(run({.hand_over = hand_over, .work = Time::ns(1500)}).reads), Time::ns(30));
    EXPECT_GE(mean(run({.hand_over = hand_over, .work = Time::ns(5)}).reads).seconds(), 0.98 * alone.seconds());
  }
}

TEST(LookAhead, OfAStoreToARegisterHelpsNoMoreWhereTheStoreTakesLongerThanTheWork) {
  const Asked slow{.hand_over = HandOver::mmio, .work = Time::ns(400), .overrides = {"host.mmio.store=500ns"}};
  EXPECT_GT(mean(run(slow).reads), Time::ns(80));
  const Asked fast{.hand_over = HandOver::mmio, .work = Time::ns(400), .overrides = {"host.mmio.store=50ns"}};
  EXPECT_LT(mean(run(fast).reads), Time::ns(25));
}

TEST(LookAhead, DoesNothingWhereTheHostsCacheDoesNotKeepWhatTheCircuitReads) {
  const std::vector<std::string> off{"host.llc.allocate_on_device_read=false"};
  const Time alone = mean(run({.overrides = off}).reads);
  EXPECT_GE(mean(run({.hand_over = HandOver::mmio, .overrides = off}).reads), alone);
}

TEST(LookAhead, FetchesNoLineThatTheCircuitCannotReach) {
  const Asked half{.hand_over = HandOver::mmio, .reach = kLines * kLine / 2};
  const std::vector<Time> reads = run(half).reads;
  for (std::size_t i = 1; i < reads.size(); ++i) EXPECT_EQ(reads[i] == Time::ns(20), half.lines[i] < kLines / 2);
}

TEST(LookAhead, RefusesALineThatTheDataHaveNot) {
  EXPECT_THAT([] { run({.lines = {kLines}}); }, ThrowsMessage<Error>(HasSubstr("line 512: expected one of the 512")));
}

}  // namespace
}  // namespace isthmus::queues
