#include "isthmus/base/cores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/machine.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Cores, LastLevelCachesOfAllPackagesAreAddedUp) {
  EXPECT_EQ(Cores::from_xml(Machine(2, 4).xml()).last_level_cache(), 2 * Machine::kCache);
  EXPECT_EQ(Cores::from_xml(Machine(1, 3).xml()).last_level_cache(), Machine::kCache);
}

TEST(Cores, ADeviceIsNearTheCoresOfThePackageThatItHangsOn) {
  const Cores cores = Cores::from_xml(Machine(2, 4).xml());
  EXPECT_EQ(cores.all().size(), 8U);
  EXPECT_EQ(units_of(cores.near("0000:01:00.0")), (std::vector<int>{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(units_of(cores.near("0000:41:00.0")), (std::vector<int>{4, 5, 6, 7, 12, 13, 14, 15}));
}

TEST(Cores, ADeviceThatTheMachineDoesNotKnowIsNearAllOfThem) {
  const Cores cores = Cores::from_xml(Machine(2, 4).xml());
  EXPECT_EQ(cores.near("0000:99:00.0"), cores.all());
  EXPECT_EQ(cores.near("no place"), cores.all());
}

TEST(Cores, DevicesOfOnePackageShareItsCoresAndNeverOneCore) {
  const auto near = Cores::from_xml(Machine(2, 4).xml()).near("0000:41:00.0");
  EXPECT_EQ(units_of(share_of(near, 0, 2)), (std::vector<int>{4, 5, 12, 13}));
  EXPECT_EQ(units_of(share_of(near, 1, 2)), (std::vector<int>{6, 7, 14, 15}));
  std::vector<int> together;
  for (std::size_t index = 0; index < 3; ++index)
    for (const int unit : units_of(share_of(near, index, 3))) together.push_back(unit);
  EXPECT_THAT(together, testing::UnorderedElementsAreArray(units_of(near)));
  EXPECT_EQ(share_of(near, 3, 5), near);  // more sharers than cores
}

TEST(Cores, WhatIsNoTopologyIsRefused) {
  EXPECT_THAT([] { Cores::from_xml("<topology"); }, ThrowsMessage<Error>(HasSubstr("hwloc's XML")));
}

TEST(Cores, UnitsAreShownAsRanges) {
  EXPECT_EQ(ranges({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(ranges({5}), "5");
  EXPECT_EQ(ranges({}), "");
}

TEST(Cores, AProcessMayUseUnitsThatItsMachineHas) {
  EXPECT_THAT(units_of(Cores::here().all()), testing::IsSupersetOf(allowed_units()));
}

TEST(Cores, TheProcessorSaysItsName) {
  EXPECT_EQ(Cores::from_xml(Machine(1, 2).xml()).processor(), Machine::kProcessor);
}

TEST(Cores, AThreadBindsItselfAlone) {
  const std::vector<int> before = allowed_units();
  std::vector<int> seen;
  std::thread([&] {
    bind_thread({before.back()});
    seen = allowed_units();
  }).join();
  EXPECT_EQ(seen, (std::vector<int>{before.back()}));
  EXPECT_EQ(allowed_units(), before);
}

TEST(Cores, BindingTakesTheThreadsThatRunAndThoseToCome) {
  const std::vector<int> before = allowed_units();
  std::promise<void> bound;
  std::vector<int> seen;
  std::thread running([&] {
    bound.get_future().wait();
    seen = allowed_units();
  });
  bind_to({before.back()});
  bound.set_value();
  running.join();
  std::vector<int> later;
  std::thread([&] { later = allowed_units(); }).join();
  bind_to(before);
  EXPECT_EQ(seen, (std::vector<int>{before.back()}));
  EXPECT_EQ(later, seen);
}

}  // namespace
}  // namespace isthmus
