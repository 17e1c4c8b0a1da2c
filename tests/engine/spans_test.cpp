#include "isthmus/engine/detail/spans.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dice.hpp"

namespace isthmus::engine {
namespace {

using Spelled = std::vector<std::string>;

std::string spell(const Span& span) {
  return std::to_string(span.begin) + ".." + std::to_string(span.end) + " of " + std::to_string(span.period) + " " +
         std::to_string(static_cast<int>(span.activity));
}

/// The spans one by one.
std::vector<Span> each(const Spans& spans) {
  std::vector<Span> all;
  for (const PeriodicSpan& periodic : spans)
    for (Tick i = 0; i < periodic.count; ++i) all.push_back(periodic.at(i));
  return all;
}

Spelled spelled(const std::vector<Span>& spans) {
  Spelled all;
  for (const auto& span : spans) all.push_back(spell(span));
  return all;
}

/// What `Spans` keeps, span by span.
struct Plain {
  std::vector<Span> spans;

  void add(const Span& span) {
    if (!spans.empty() && spans.back().end == span.begin && spans.back().activity == span.activity &&
        spans.back().period == span.period && (span.period == 0 || (span.end - span.begin) % span.period == 0))
      spans.back().end = span.end;
    else
      spans.push_back(span);
  }
  void drop(Tick tick) {
    std::erase_if(spans, [&](const Span& span) { return span.end <= tick; });
  }
};

/// Spans that come regularly for a while, then otherwise.
class Traffic {
 public:
  explicit Traffic(std::uint64_t seed) : dice_(seed) {}

  Span next() {
    if (dice_.chance(15)) {
      gap_ = dice_.between(0, 3);
      length_ = dice_.between(1, 3);
      activity_ = dice_.chance(30) ? Activity::blocked : Activity::starved;
    }
    const Tick begin = at_ + gap_;
    const Tick period = dice_.chance(8) ? length_ : 0;
    at_ = begin + length_;
    return {begin, at_, period, activity_};
  }
  /// A tick not long ago, now and then.
  std::optional<Tick> gone() {
    if (!dice_.chance(3)) return std::nullopt;
    return at_ - dice_.between(0, 60);
  }

 private:
  reference::Dice dice_;
  Tick at_ = 0;
  Tick gap_ = 1;
  Tick length_ = 1;
  Activity activity_ = Activity::starved;
};

TEST(Spans, AreThoseThatWereAddedTouchingOnesJoined) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Traffic traffic(seed);
    Spans spans;
    Plain plain;
    for (int i = 0; i < 300; ++i) {
      const Span span = traffic.next();
      spans.add(span);
      plain.add(span);
      if (const auto gone = traffic.gone()) {
        spans.drop(*gone);
        plain.drop(*gone);
      }
    }
    EXPECT_EQ(spelled(each(spans)), spelled(plain.spans)) << "seed " << seed;
  }
}

TEST(Spans, ATrainKnowsHowManyOfItEndByATick) {
  const PeriodicSpan periodic{{10, 13, 0, Activity::starved}, 7, 4};
  for (Tick tick = 0; tick < 50; ++tick) {
    Tick ended = 0;
    for (Tick i = 0; i < periodic.count; ++i) ended += periodic.at(i).end <= tick ? 1 : 0;
    EXPECT_EQ(periodic.ended_by(tick), ended) << tick;
  }
}

TEST(Spans, ATrainIsAsLongAsItsSpansOnEveryClock) {
  for (const auto& clock : {Clock{Frequency::mhz(250)}, Clock{Frequency::mhz(300)}}) {
    const Grid grid(clock);
    const PeriodicSpan periodic{{10, 14, 0, Activity::blocked}, 5, 1000};
    std::int64_t sum = 0;
    for (Tick i = 0; i < periodic.count; ++i) sum += grid.edge(periodic.at(i).end) - grid.edge(periodic.at(i).begin);
    EXPECT_EQ(periodic.length(periodic.count, grid), sum);
  }
}

TEST(Spans, RegularTrafficTakesNoMoreRoomTheLongerItLasts) {
  Spans spans;
  for (Tick begin = 0; begin < 100'000; begin += 100) spans.add({begin, begin + 99, 0, Activity::starved});
  EXPECT_LE(spans.end() - spans.begin(), 2);
}

}  // namespace
}  // namespace isthmus::engine
