#include "isthmus/cluster/cores.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "isthmus/base/error.hpp"

namespace isthmus::cluster {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// hwloc's XML of a machine: packages of cores of two processing units, numbered as Linux does (second units of all
/// cores behind the first ones), and one PCI device on each package.
class Machine {
 public:
  Machine(int packages, int cores) : packages_(packages), cores_(cores) {}

  std::string xml() {
    std::string inside;
    for (int package = 0; package < packages_; ++package) inside += this->package(package);
    return R"(<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">)" +
           object("Machine", 0, set(0, packages_), nodes(0, packages_), inside) + "</topology>";
  }

 private:
  using Mask = std::uint64_t;

  Mask units(int core) const { return Mask{1} << core | Mask{1} << (packages_ * cores_ + core); }
  Mask set(int first, int packages) const {
    Mask mask = 0;
    for (int core = first * cores_; core < (first + packages) * cores_; ++core) mask |= units(core);
    return mask;
  }
  static Mask nodes(int first, int count) { return ((Mask{1} << count) - 1) << first; }

  std::string object(const char* type, int index, Mask cpus, Mask nodes, const std::string& inside) {
    const auto words = [&](const char* name, Mask mask) {
      return fmt::format(R"( {0}="{1:#010x},{2:#010x}" complete_{0}="{1:#010x},{2:#010x}")", name, mask >> 32U,
                         mask & 0xffffffffU);
    };
    return fmt::format(R"(<object type="{}" os_index="{}"{}{} gp_index="{}">{}</object>)", type, index,
                       words("cpuset", cpus), words("nodeset", nodes), ++count_, inside);
  }

  std::string package(int package) {
    std::string inside = object("NUMANode", package, set(package, 1), nodes(package, 1), "");
    for (int core = package * cores_; core < (package + 1) * cores_; ++core) {
      std::string pair;
      for (const int unit : {core, packages_ * cores_ + core})
        pair += object("PU", unit, Mask{1} << unit, nodes(package, 1), "");
      inside += object("Core", core, units(core), nodes(package, 1), pair);
    }
    const int bus = 0x40 * package + 1;
    inside += fmt::format(
        R"(<object type="Bridge" gp_index="{}" bridge_type="0-1" depth="0" bridge_pci="0000:[{:02x}-{:02x}]">)"
        R"(<object type="PCIDev" gp_index="{}" pci_busid="0000:{:02x}:00.0" )"
        R"(pci_type="0302 [10de:2335] [10de:18be] a1" pci_link_speed="0.000000"/></object>)",
        count_ + 1, bus, bus, count_ + 2, bus);
    count_ += 2;
    return object("Package", package, set(package, 1), nodes(package, 1), inside);
  }

  int packages_;
  int cores_;
  int count_ = 0;
};

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
}  // namespace isthmus::cluster
