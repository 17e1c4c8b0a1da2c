// The part that is named as the limit of a run, and the part that would be next.
#include "isthmus/platform/part.hpp"

#include <gtest/gtest.h>

namespace isthmus::platform {
namespace {

Part part(const std::string& name, int busy_ns, const std::string& key = "") {
  return {.name = name,
          .keys = {key.empty() ? name : key},
          .busy = Time::ns(busy_ns),
          .starved = Time::ns(100 - busy_ns),
          .lifetime = Time::ns(100)};
}

TEST(Bottleneck, OfPartsThatWorkAtTheSameTimeIsTheBusiest) {
  const Limit limit = bottleneck({part("link", 40), part("kernel", 80), part("copy", 60)}, Time::ns(100));
  EXPECT_EQ(limit.part, "kernel");
  EXPECT_EQ(limit.next, "copy");
  EXPECT_DOUBLE_EQ(limit.would_need, 80.0 / 60);
  EXPECT_EQ(limit.path_share, 0);
}

TEST(Bottleneck, NextIsAPartThatAnotherResourceHolds) {
  const Limit limit =
      bottleneck({part("there", 95, "lanes"), part("back", 90, "lanes"), part("kernel", 30)}, Time::ns(100));
  EXPECT_EQ(limit.part, "there");
  EXPECT_EQ(limit.next, "kernel");
}

TEST(Bottleneck, OfStepsThatWaitForEachOtherIsTheLongestThoughAnotherPartIsBusier) {
  const Limit limit =
      bottleneck({part("memory", 50), part("allocation", 40), part("copy", 35), part("DMA", 25)}, Time::ns(100),
                 {{"allocation", Time::ns(40)}, {"copy", Time::ns(35)}, {"DMA", Time::ns(25)}});
  EXPECT_EQ(limit.part, "allocation");
  EXPECT_DOUBLE_EQ(limit.path_share, 0.4);
  EXPECT_EQ(limit.next, "copy");
  EXPECT_DOUBLE_EQ(limit.would_need, 40.0 / 35);
}

TEST(Bottleneck, StepsOfOneResourceCountTogether) {
  const Limit limit =
      bottleneck({part("there", 30, "lanes"), part("back", 31, "lanes"), part("kernel", 39)}, Time::ns(100),
                 {{"there", Time::ns(30)}, {"back", Time::ns(31)}, {"kernel", Time::ns(39)}});
  EXPECT_EQ(limit.part, "back");
  EXPECT_DOUBLE_EQ(limit.path_share, 0.61);
  EXPECT_EQ(limit.next, "kernel");
}

TEST(Bottleneck, APartThatWorksLongerThanTheOtherStepsIsNext) {
  const Limit limit = bottleneck({part("copy", 75), part("link", 25), part("memory", 50)}, Time::ns(100),
                                 {{"copy", Time::ns(75)}, {"link", Time::ns(25)}});
  EXPECT_EQ(limit.part, "copy");
  EXPECT_EQ(limit.next, "memory");
  // With the copy k times as fast the steps take 25 + 75 / k; the memory works 50.
  EXPECT_DOUBLE_EQ(limit.would_need, 3);
}

TEST(Bottleneck, APartThatIsBusyNearlyAllTheTimeIsTheLimitWhateverWaitsForIt) {
  const Limit limit = bottleneck({part("memory", 96), part("copy", 60), part("link", 40)}, Time::ns(100),
                                 {{"copy", Time::ns(60)}, {"link", Time::ns(40)}});
  EXPECT_EQ(limit.part, "memory");
  EXPECT_EQ(limit.next, "copy");
}

TEST(Bottleneck, APartAloneHasNoNext) {
  EXPECT_EQ(bottleneck({part("kernel", 50)}, Time::ns(100)).next, "");
  EXPECT_EQ(bottleneck({part("kernel", 50)}, Time::ns(100), {{"kernel", Time::ns(100)}}).next, "");
}

TEST(Parts, EachHasItsShareOfTheWholeRunAlsoIfItFinishedEarly) {
  RunReport report;
  report.end = Time::ns(100);
  report.actors = {{.id = {0},
                    .name = "early",
                    .periodic = false,
                    .finished = true,
                    .finish = Time::ns(40),
                    .busy = Time::ns(30),
                    .starved = Time::ns(2),
                    .blocked = Time::ns(8),
                    .lifetime = Time::ns(40)}};
  report.arrange();
  const std::vector<Part> parts = parts_of(report, {{.name = "part", .keys = {"key"}, .actors = {{0}}}});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].lifetime, Time::ns(100));
  EXPECT_EQ(parts[0].busy, Time::ns(30));
  EXPECT_EQ(parts[0].blocked, Time::ns(8));
  EXPECT_EQ(parts[0].starved, Time::ns(62)) << "what has finished waits for the rest of the run";
  EXPECT_DOUBLE_EQ(bottleneck(parts, report.end).busy_share, 0.3);
}

}  // namespace
}  // namespace isthmus::platform
