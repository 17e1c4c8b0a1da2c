#include "isthmus/base/load.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "base/temporary_folder.hpp"

namespace isthmus {
namespace {

CoreUse use(std::vector<int> units, double busy, double own) {
  const auto usable = static_cast<double>(units.size());
  return {.units = std::move(units), .usable = usable, .elapsed = 10, .busy = busy, .own = own};
}

double load_of(const CoreUse& one) {
  return isthmus::load_of(std::span(&one, 1));
}

TEST(Load, IsTheShareOfTheCoresThatOthersTook) {
  EXPECT_DOUBLE_EQ(load_of(use({0, 1}, 12, 7)), 5 / 20.);
  EXPECT_DOUBLE_EQ(load_of(use({0, 1}, 20, 0)), 1);
  EXPECT_DOUBLE_EQ(load_of(use({0, 1}, 4, 4.1)), 0);  // the clocks are not the same
}

TEST(Load, OthersMayHaveWhatAControlGroupLeavesThem) {
  CoreUse half = use({0, 1, 2, 3}, 20, 10);  // others: one core of four
  half.usable = 2;
  EXPECT_DOUBLE_EQ(load_of(half), 0);
  half.busy = 45;  // 3.5 of four: half a core is left of two
  EXPECT_DOUBLE_EQ(load_of(half), 0.75);
}

TEST(Load, ProcessesThatWorkTogetherAreNotOthers) {
  const std::vector<CoreUse> shared{use({0, 1}, 20, 10), use({0, 1}, 20, 9)};
  EXPECT_NEAR(isthmus::load_of(shared), 1 / 20., 1e-12);
  const std::vector<CoreUse> apart{use({0}, 10, 10), use({1}, 10, 6)};
  EXPECT_NEAR(isthmus::load_of(apart), 4 / 20., 1e-12);
}

TEST(Load, BusyIsWhatIsNotIdleOnTheCoresThatMayBeUsed) {
  const std::string text =
      "cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 100 10 20 5000 600 1 2 3 50 0\ncpu2 7 0 0 1 0 0 0 0 0 0\ncpu11 1 1 1 9 9 1 1 1\n";
  const auto busy = [&text](std::vector<int> units) {
    std::istringstream stat(text);
    return busy_seconds(stat, units, 100);
  };
  EXPECT_EQ(busy({0}), 1.36);
  EXPECT_EQ(busy({0, 2, 11}), 1.49);
  EXPECT_EQ(busy({0, 1}), std::nullopt);
}

class ControlGroups : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    folder_.written(path, text);
  }
  double cores() const { return control_group_cores(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

TEST_F(ControlGroups, OfVersion2TheTightestOnTheWayUpCounts) {
  EXPECT_TRUE(std::isinf(cores()));
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_TRUE(std::isinf(cores()));
  write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cores(), 1.5);
}

TEST_F(ControlGroups, OfVersion1ThatOfTheProcessorsCounts) {
  write("proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/docker/1\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");  // as a container sees its own
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(cores(), 0.5);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_TRUE(std::isinf(cores()));
}

TEST(LoadMeter, SeesItsOwnWorkAsItsOwn) {
  const LoadMeter meter;
  double sum = 0;
  for (int i = 0; i < 20'000'000; ++i) sum += std::sqrt(i);
  const auto use = meter.use();
  ASSERT_TRUE(use && sum > 0);
  EXPECT_GT(use->own, 0);
  EXPECT_GE(use->elapsed, 0.2);
  EXPECT_THAT(isthmus::load_of(std::span(&*use, 1)), testing::AllOf(testing::Ge(0), testing::Le(1)));
}

}  // namespace
}  // namespace isthmus
