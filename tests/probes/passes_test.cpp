// How many samples a real device is asked for, and in which order: with samplers that tell what the test wants.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "isthmus/base/summary.hpp"
#include "probes/sampling.hpp"

namespace isthmus::probes {
namespace {

constexpr int kRepeat = 40;

/// The points that were sampled, in the order in which they were.
using Log = std::vector<std::size_t>;

/// Takes 100 us, and `apart` more every second time.
class Scripted final : public Sampler {
 public:
  Scripted(std::size_t point, Time apart, Log& log) : point_(point), apart_(apart), log_(log) {}
  std::vector<Time> take(int samples) override {
    std::vector<Time> times;
    for (int i = 0; i < samples; ++i) {
      times.push_back(Time::us(100) + (taken_++ % 2 == 0 ? Time{} : apart_));
      log_.push_back(point_);
    }
    return times;
  }

 private:
  std::size_t point_;
  Time apart_;
  Log& log_;
  int taken_ = 0;
};

std::vector<Finding> findings(const std::vector<Time>& apart, Log& log, std::uint64_t seed = 1) {
  const Job job{.target = "opencl:0", .samples = kRepeat, .seed = seed};
  Target target(job);
  std::vector<Point> points;
  for (std::size_t i = 0; i < apart.size(); ++i)
    points.push_back(
        {.finding = {.quantity = "latency", .unit = "us", .size = {static_cast<std::int64_t>(i)}},
         .value = [](Time time) { return time.seconds() * 1e6; },
         .open = [i, &apart, &log](offload::Device&) { return std::make_unique<Scripted>(i, apart[i], log); }});
  std::vector<Finding> found;
  measure(job, target, std::move(points), [&found](const Finding& finding) { found.push_back(finding); });
  return found;
}

bool within(const std::vector<double>& samples) {
  const auto interval = median_interval(samples);
  const double median = summarise(samples).median;
  return interval && interval->first >= 0.95 * median && interval->second <= 1.05 * median;
}

TEST(Passes, EndForASizeWhoseMedianIsKnownAndGoOnForOneWhoseIsNot) {
  Log log;
  const auto found = findings({Time{}, Time::us(50), Time::us(4)}, log);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].samples.size(), 6U) << "the fewest that have an interval";
  EXPECT_EQ(found[1].samples.size(), static_cast<std::size_t>(kRepeat)) << "150 and 100 are never within 5 %";
  EXPECT_EQ(found[2].samples.size(), 6U) << "104 and 100 are";
  for (const Finding& finding : found) {
    std::vector<double> fewer = finding.samples;
    fewer.pop_back();
    EXPECT_FALSE(within(fewer)) << "it went on although the median was known";
  }
}

TEST(Passes, GoOverAllSizesOnceEachInAnOrderOfTheSeeds) {
  constexpr std::size_t kPoints = 6;
  const std::vector<Time> noisy(kPoints, Time::us(50));
  Log log;
  findings(noisy, log);
  ASSERT_EQ(log.size(), kPoints * kRepeat);
  std::set<Log> orders;
  for (auto pass = log.begin(); pass != log.end(); pass += kPoints) {
    Log order(pass, pass + kPoints);
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, (Log{0, 1, 2, 3, 4, 5}));
  }
  EXPECT_GT(orders.size(), kRepeat / 2U) << "of 720 orders 40 draws give some twice at most";
  Log again;
  Log other;
  findings(noisy, again);
  findings(noisy, other, 2);
  EXPECT_EQ(again, log);
  EXPECT_NE(other, log);
}

}  // namespace
}  // namespace isthmus::probes
