#include <gmock/gmock.h>

#include "platform/fixture.hpp"

namespace isthmus::platform::testing {
namespace {

using ::testing::HasSubstr;

TEST(Override, TakesTheKeysUnitUnlessOneIsWritten) {
  EXPECT_EQ(load_text(f1(), {"kernel.clock=300"}).frequency("kernel.clock"), Frequency::mhz(300));
  EXPECT_EQ(load_text(f1(), {"kernel.clock=0.3GHz"}).frequency("kernel.clock"), Frequency::mhz(300));
  EXPECT_EQ(load_text(f1(), {"kernel.clock = 300 MHz"}).frequency("kernel.clock"), Frequency::mhz(300));
  EXPECT_EQ(load_text(f1(), {"link.pcie.lanes=8"}).count("link.pcie.lanes"), 8);
  EXPECT_FALSE(load_text(f1(), {"host.copy.enabled=false"}).flag("host.copy.enabled"));
}

TEST(Override, IsMarkedAndSaysWhatItReplaced) {
  const Description description = load_text(f1(), {"link.pcie.lanes=8"});
  const Input& lanes = input(description, "link.pcie.lanes");
  EXPECT_EQ(lanes.role, "set");
  EXPECT_EQ(lanes.source, "set by the user; was 16 (datasheet: choi2019 table 2)");
  EXPECT_EQ(lanes.line, 0);
  EXPECT_EQ(input(description, "link.pcie.generation").role, "datasheet");
}

TEST(Override, OfTwoTheLaterHolds) {
  EXPECT_EQ(load_text(f1(), {"link.pcie.lanes=8", "link.pcie.lanes=4"}).count("link.pcie.lanes"), 4);
}

TEST(Override, MayAddAnOptionalKeyWithItsUnit) {
  EXPECT_EQ(load_text(f1(), {"host.alloc.enabled=true", "host.alloc.rate=4GB/s"}).bandwidth("host.alloc.rate"),
            Bandwidth::gb_per_second(4));
  EXPECT_THAT(refusal(f1(), {"host.alloc.enabled=true", "host.alloc.rate=4"}),
              HasSubstr("--set: key 'host.alloc.rate': expected a unit (B/s, MB/s, GB/s, Mbit/s, Gbit/s), got none"));
}

TEST(Override, MayLeaveTheRangeOfAnAssumptionButNotOfTheKey) {
  EXPECT_EQ(load_text(f1(), {"link.pcie.max_read_request=128"}).bytes("link.pcie.max_read_request").count, 128);
  EXPECT_EQ(refusal(f1(), {"link.pcie.max_read_request=8192"}),
            "--set: key 'link.pcie.max_read_request': expected a power of two in 128 B..4 KiB, got 8192 B");
}

TEST(Override, ThatIsWrongIsRefusedInOneLine) {
  EXPECT_EQ(refusal(f1(), {"link.pcie.lanes=-4"}), "--set: key 'link.pcie.lanes': expected 1..32, got -4");
  EXPECT_EQ(refusal(f1(), {"link.pcie.lanes=x"}), "--set: key 'link.pcie.lanes': expected 1..32, got 'x'");
  EXPECT_EQ(refusal(f1(), {"link.pcie.lanes="}), "--set: key 'link.pcie.lanes': expected 1..32, got ''");
  EXPECT_EQ(refusal(f1(), {"link.pcie.lanes=nan"}), "--set: key 'link.pcie.lanes': expected 1..32, got nan");
  EXPECT_EQ(refusal(f1(), {"link.pcie.lanes=8 B"}), "--set: key 'link.pcie.lanes': expected no unit, got 'B'");
  EXPECT_EQ(refusal(f1(), {"link.pcie.lane=4"}),
            "--set: key 'link.pcie.lane': expected a key of a part of kind pcie, got an unknown one; did you mean "
            "'link.pcie.lanes'?");
  EXPECT_EQ(refusal(f1(), {"host.copy.enabled=1"}), "--set: key 'host.copy.enabled': expected true or false, got '1'");
  EXPECT_EQ(refusal(f1(), {"lanes"}), "--set: expected KEY=VALUE, got 'lanes'");
  EXPECT_EQ(refusal(f1(), {"=4"}), "--set: expected KEY=VALUE, got '=4'");
}

TEST(Override, ThatContradictsTheFileIsBlamedItself) {
  EXPECT_EQ(refusal(f1(), {"link.pcie.round_trip=200ns"}),
            "--set: key 'link.pcie.round_trip': expected 2 x link.pcie.flight <= link.pcie.round_trip, got 150 ns and "
            "200 ns");
}

}  // namespace
}  // namespace isthmus::platform::testing
