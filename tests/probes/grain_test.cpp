// Coarse probes of the boards that come with Isthmus against fine ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "isthmus/base/data_file.hpp"
#include "isthmus/platform/description.hpp"
#include "probes/found.hpp"

namespace isthmus::probes {
namespace {

/// An odd number: both directions take turns at beginning first.
constexpr int kSamples = 5;

std::vector<std::string> boards_with_pcie() {
  std::vector<std::string> boards;
  for (const auto& entry : std::filesystem::directory_iterator(data_file("platforms/aws-f1.toml").parent_path())) {
    if (entry.path().extension() != ".toml") continue;
    const platform::Description board = platform::load(entry.path());
    if (!platform::channels_of(board, "pcie").empty() && board.find("dram") != nullptr && board.find("dma") != nullptr)
      boards.push_back(entry.path().string());
  }
  std::ranges::sort(boards);
  return boards;
}

class GrainOfProbes : public testing::TestWithParam<std::string> {
 protected:
  /// The time of all samples of each size, in each grain.
  static void expect_agreement(std::string_view probe, const std::vector<Bytes>& sizes) {
    Job job{.target = GetParam(), .sizes = sizes, .samples = kSamples};
    const std::vector<Finding> fine = found_by(probe, job);
    job.grain = platform::Grain::coarse;
    const std::vector<Finding> coarse = found_by(probe, job);
    ASSERT_EQ(fine.size(), coarse.size());
    for (std::size_t i = 0; i < fine.size(); ++i)
      EXPECT_NEAR(seconds_of(coarse[i]) / seconds_of(fine[i]), 1, 0.01) << probe << ' ' << fine[i].size.count;
  }

 private:
  static double seconds_of(const Finding& finding) {
    return std::accumulate(finding.times.begin(), finding.times.end(), 0.0,
                           [](double sum, Time time) { return sum + time.seconds(); });
  }
};

constexpr std::int64_t kKibibyte = 1024;

TEST_P(GrainOfProbes, AgreeOnCopiesOfOneDirection) {
  for (const char* probe : {"h2d", "d2h-pinned"})
    expect_agreement(probe, {{64}, {4096}, {64 * kKibibyte}, {1024 * kKibibyte}});
}

TEST_P(GrainOfProbes, AgreeOnCopiesOfBothDirectionsAtOnce) {
  expect_agreement("duplex", {{64}, {4096}, {16 * kKibibyte}, {256 * kKibibyte}, {1024 * kKibibyte}});
}

TEST_P(GrainOfProbes, AgreeOnShortAndLongKernelsOverTheDevicesMemory) {
  for (const char* probe : {"device-read", "device-write"})
    expect_agreement(probe, {{64}, {4096}, {16 * kKibibyte}, {256 * kKibibyte}, {1024 * kKibibyte}});
}

INSTANTIATE_TEST_SUITE_P(Boards, GrainOfProbes, testing::ValuesIn(boards_with_pcie()), [](const auto& board) {
  std::string name = std::filesystem::path(board.param).stem().string();
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace isthmus::probes
