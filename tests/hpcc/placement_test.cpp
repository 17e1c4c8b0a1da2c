#include "hpcc/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/machine.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::hpcc {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

offload::DeviceProperties device(const std::string& type, std::int64_t units, bool divisible) {
  offload::DeviceProperties properties;
  properties.name = "a " + type;
  properties.type = type;
  properties.compute_units = units;
  properties.divisible = divisible;
  return properties;
}

Choice chosen(const Request& request, int rank, int ranks, const offload::DeviceProperties& device) {
  return choose(request, rank, ranks, [&](const std::string& target) {
    auto same = device;
    same.target = target;
    return same;
  });
}

TEST(Placement, EachRankTakesADeviceInTurn) {
  const auto gpu = device("gpu", 132, false);
  const Request request{.target = "opencl:0,opencl:1"};
  EXPECT_EQ(chosen(request, 0, 2, gpu).target, "opencl:0");
  EXPECT_EQ(chosen(request, 1, 2, gpu).target, "opencl:1");
  EXPECT_EQ(chosen(request, 1, 2, gpu).part.count, 1);
}

TEST(Placement, RanksThatMeetOnADeviceDivideIt) {
  const Choice last = chosen({.target = "opencl:0,opencl:1"}, 3, 4, device("cpu", 8, true));
  EXPECT_EQ(last.target, "opencl:1");
  EXPECT_EQ(last.part.index, 1);
  EXPECT_EQ(last.part.count, 2);
  EXPECT_FALSE(last.shared);
}

TEST(Placement, AGpuWithoutSubDevicesIsSharedOnlyIfThatIsAskedFor) {
  const auto gpu = device("gpu", 132, false);
  EXPECT_THAT([&] { chosen({}, 0, 2, gpu); }, ThrowsMessage<Error>(HasSubstr("or --share")));
  EXPECT_TRUE(chosen({.share = true}, 0, 2, gpu).shared);
  EXPECT_EQ(chosen({}, 1, 2, device("gpu", 4, true)).part.index, 1);
}

TEST(Placement, AHostsMemoryIsSharedByItsOwnRanksAlone) {
  std::vector<RankLocation> places;
  for (const char* host : {"n1", "n2", "n1", "n3", "n1", "n2"})
    places.push_back({.rank = static_cast<int>(places.size()), .host = host});
  EXPECT_EQ(most_of_a_host(places), 3);
  EXPECT_EQ(most_of_a_host({RankLocation{.rank = 0, .host = "n1"}, RankLocation{.rank = 1, .host = "n2"}}), 1);
}

TEST(Placement, MoreRanksThanCoresShareThem) {
  const Choice third = chosen({}, 2, 3, device("cpu", 2, true));
  EXPECT_TRUE(third.shared);
  EXPECT_EQ(third.part.count, 1);
}

TEST(Placement, SharersAreTheRanksOnTheSharedDeviceThatHasMost) {
  const auto at = [](const char* host, const char* target, bool shared) {
    return RankLocation{.host = host, .target = target, .shared = shared};
  };
  EXPECT_EQ(most_sharers({at("n1", "opencl:0", false), at("n1", "opencl:0", false)}), 1);
  EXPECT_EQ(most_sharers({at("n1", "opencl:0", true), at("n2", "opencl:0", true), at("n1", "opencl:1", true),
                          at("n1", "opencl:0", true)}),
            2);
}

TEST(Placement, APartOfACpuIsOnItsOwnUnits) {
  const auto here = Cores::here();
  const RankLocation first{.type = "cpu", .part = 0, .parts = 2};
  const RankLocation second{.type = "cpu", .part = 1, .parts = 2};
  EXPECT_EQ(units_for(here, {first, second}, 0, 4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(units_for(here, {first, second}, 1, 4), (std::vector<int>{4, 5, 6, 7}));
}

TEST(Placement, ADeviceHasTheNearestCoresAndSharesThemWithThoseBesideIt) {
  const auto machine = Cores::from_xml(Machine(2, 4).xml());
  const RankLocation near{.type = "gpu", .pci = "0000:01:00.0"};
  const RankLocation far{.type = "gpu", .pci = "0000:41:00.0"};
  EXPECT_EQ(units_for(machine, {near, far}, 0, 132), (std::vector<int>{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(units_for(machine, {near, far}, 1, 132), (std::vector<int>{4, 5, 6, 7, 12, 13, 14, 15}));
  EXPECT_EQ(units_for(machine, {far, near, far}, 0, 132), (std::vector<int>{4, 5, 12, 13}));
  EXPECT_EQ(units_for(machine, {far, near, far}, 2, 132), (std::vector<int>{6, 7, 14, 15}));
}

TEST(Placement, WholeAndSharedProcessorsAreLeftToTheSystem) {
  const auto here = Cores::here();
  const RankLocation whole{.type = "cpu"};
  const RankLocation shared{.type = "gpu", .pci = "0000:01:00.0", .shared = true};
  EXPECT_TRUE(units_for(here, {whole}, 0, 4).empty());
  EXPECT_TRUE(units_for(here, {shared, shared}, 1, 132).empty());
  EXPECT_TRUE(units_for(here, {RankLocation{.type = "gpu"}}, 0, 132).empty());
}

}  // namespace
}  // namespace isthmus::hpcc
