#include <fmt/format.h>
#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "platform/fixture.hpp"

namespace isthmus::platform::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What is said of F1 when the line of link.pcie.lanes is `line`.
std::string lanes(const std::string& line) {
  return refusal(f1_with("link.pcie", "lanes", line));
}

std::string at_lanes(const std::string& what) {
  return fmt::format("platform.toml:{}: key 'link.pcie.lanes': {}", line_of(f1(), "lanes = "), what);
}

std::string payload(const std::string& line) {
  return refusal(f1_with("link.pcie", "max_payload", line));
}

std::string at_payload(const std::string& what) {
  return fmt::format("platform.toml:{}: key 'link.pcie.max_payload': {}", line_of(f1(), "max_payload = "), what);
}

TEST(PlatformFile, IsAcceptedUnchanged) {
  EXPECT_EQ(refusal(f1()), "");
}

TEST(PlatformFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(refusal("\xef\xbb\xbf" + f1()), "");
}

TEST(PlatformFile, ThatIsEmptyIsRefused) {
  EXPECT_EQ(refusal(""), "platform.toml:1: expected a platform, got an empty file");
  EXPECT_EQ(refusal(" \n\n\t"), "platform.toml:1: expected a platform, got an empty file");
}

TEST(PlatformFile, ThatIsNoTomlIsRefusedWithTheLine) {
  EXPECT_THAT(refusal("name = \"x\"\nlink = ["), StartsWith("platform.toml:2: not TOML: "));
  EXPECT_THAT(refusal("\xff\xfe"), StartsWith("platform.toml:1: not TOML: "));
}

TEST(PlatformFile, ThatDoesNotExistOrIsNoFileIsRefused) {
  EXPECT_THROW(load("/nowhere/platform.toml"), Error);
  EXPECT_THROW(load("/"), Error);
}

TEST(PlatformFile, WithoutANameIsRefused) {
  EXPECT_EQ(refusal(replaced(f1(), "name = \"Amazon EC2 F1\"", "")),
            "platform.toml:1: key 'name': expected what the platform is called, got nothing");
  EXPECT_THAT(refusal(replaced(f1(), "\"Amazon EC2 F1\"", "7")), HasSubstr("key 'name': expected what"));
}

TEST(PlatformKey, ThatIsMissingIsRefusedAtItsTableWithItsMeaning) {
  const std::string text = f1_with("link.pcie", "lanes", "");
  EXPECT_EQ(refusal(text), fmt::format("platform.toml:{}: key 'link.pcie.lanes': expected 1..32, got nothing "
                                       "(lanes of the link, each full duplex)",
                                       line_of(text, "[link.pcie]")));
}

TEST(PlatformKey, ThatIsUnknownIsRefusedWithTheNearestOne) {
  const std::string text = replaced(f1(), "\nlanes = ", "\nlane = ");
  EXPECT_EQ(refusal(text),
            fmt::format("platform.toml:{}: key 'link.pcie.lane': expected a key of a part of kind pcie, got an "
                        "unknown one; did you mean 'link.pcie.lanes'?",
                        line_of(text, "lane = ")));
  EXPECT_EQ(refusal(f1() + "\n[volcano]\nheight = 1\n"),
            fmt::format("platform.toml:{}: key 'volcano': expected a part, whose kind is its last word or kind = "
                        "\"...\", got neither",
                        line_of(f1() + "\n[volcano]", "[volcano]")));
}

TEST(PlatformKey, ThatStandsTwiceIsRefused) {
  const std::string text = replaced(f1(), "\nlanes = ", "\nlanes = { value = 8 }\nlanes = ");
  EXPECT_EQ(refusal(text), fmt::format("platform.toml:{}: key 'lanes': expected it once, got it again",
                                       line_of(text, "lanes = ") + 1));
}

TEST(PlatformKey, WrittenAsOneQuotedPartIsNotTakenForTheDottedOne) {
  EXPECT_THAT(refusal("name = \"x\"\n\"link.pcie.lanes\" = { value = 8 }"),
              HasSubstr("key '\"link.pcie.lanes\"': expected a part, whose kind is its last word"));
}

TEST(PlatformKey, ThatIsNoTableIsRefused) {
  EXPECT_EQ(lanes("lanes = 16"), at_lanes("expected { value = ..., source = ..., role = ... }, got a bare integer"));
  EXPECT_THAT(
      refusal("name = \"x\"\nlink = 3"),
      HasSubstr("key 'link': expected a part, whose kind is its last word or kind = \"...\", got a bare integer"));
}

TEST(PlatformKey, WithAnUnknownFieldIsRefused) {
  EXPECT_EQ(lanes("lanes = { valu = 16 }"), at_lanes("unknown field 'valu': expected value, unit, source, role, range, "
                                                     "why or date; did you mean 'value'?"));
}

TEST(PlatformValue, ThatIsMissingOrOfAnotherTypeIsRefused) {
  EXPECT_EQ(lanes("lanes = { source = \"choi2019 table 2\", role = \"datasheet\" }"),
            at_lanes("expected 1..32, got no value"));
  EXPECT_EQ(lanes("lanes = { value = \"16\" }"), at_lanes("expected 1..32, got a string"));
  EXPECT_EQ(lanes("lanes = { value = true }"), at_lanes("expected 1..32, got a boolean"));
  EXPECT_THAT(refusal(f1_with("host.copy", "enabled", "enabled = { value = 1 }")),
              HasSubstr("key 'host.copy.enabled': expected true or false, got a bare integer"));
}

TEST(PlatformValue, OutsideTheKeysRangeIsRefused) {
  const std::string rest = ", source = \"choi2019 table 2\", role = \"datasheet\" }";
  EXPECT_EQ(lanes("lanes = { value = -4" + rest), at_lanes("expected 1..32, got -4"));
  EXPECT_EQ(lanes("lanes = { value = 33" + rest), at_lanes("expected 1..32, got 33"));
  EXPECT_EQ(lanes("lanes = { value = 1.5" + rest), at_lanes("expected a whole number, got 1.5"));
  EXPECT_EQ(lanes("lanes = { value = nan" + rest), at_lanes("expected 1..32, got nan"));
  EXPECT_EQ(lanes("lanes = { value = inf" + rest), at_lanes("expected 1..32, got inf"));
  EXPECT_EQ(lanes("lanes = { value = -inf" + rest), at_lanes("expected 1..32, got -inf"));
}

TEST(PlatformValue, ThatHardwareCannotHaveIsRefused) {
  EXPECT_EQ(payload("max_payload = { value = 200, unit = \"B\", source = \"ours\", role = \"datasheet\" }"),
            at_payload("expected a power of two in 128 B..4 KiB, got 200 B"));
  EXPECT_EQ(payload("max_payload = { value = 0.2, unit = \"KiB\", source = \"ours\", role = \"datasheet\" }"),
            at_payload("expected whole bytes, got 0.2 KiB"));
}

TEST(PlatformValue, ThatIsNoWholeNumberOfTheLinksWordsIsRefused) {
  EXPECT_EQ(refusal(f1(), {"dma.descriptor_payload=100B"}),
            "--set: key 'dma.descriptor_payload': expected a multiple of 64 B in 64 B..1 GiB, got 100 B");
  EXPECT_EQ(refusal(f1(), {"stream.buffer_size=5000B"}),
            "--set: key 'stream.buffer_size': expected a multiple of 64 B in 4 KiB..1 GiB, got 5000 B");
}

TEST(PlatformUnit, ThatIsMissingWrongOrTooMuchIsRefused) {
  const std::string rest = ", source = \"stacc III-D\", role = \"datasheet\" }";
  EXPECT_EQ(payload("max_payload = { value = 128" + rest),
            at_payload("expected a unit (bit, B, KiB, MiB, GiB), got none"));
  EXPECT_EQ(payload("max_payload = { value = 128, unit = \"ns\"" + rest),
            at_payload("expected a unit (bit, B, KiB, MiB, GiB), got 'ns'"));
  EXPECT_EQ(payload("max_payload = { value = 128, unit = 3" + rest),
            at_payload("expected unit = \"...\", got a bare integer"));
  EXPECT_EQ(lanes("lanes = { value = 16, unit = \"B\"" + rest), at_lanes("expected no unit, got 'B'"));
}

TEST(PlatformSource, ThatIsMissingIsRefused) {
  EXPECT_EQ(lanes("lanes = { value = 16, role = \"datasheet\" }"),
            at_lanes("expected source = \"PAPER PLACE\", got none"));
}

TEST(PlatformRole, ThatIsMissingOrUnknownIsRefused) {
  EXPECT_EQ(lanes("lanes = { value = 16, source = \"choi2019 table 2\" }"),
            at_lanes("expected role datasheet, configuration, calibrated, assumed, got none"));
  EXPECT_EQ(lanes("lanes = { value = 16, source = \"choi2019 table 2\", role = \"set\" }"),
            at_lanes("expected role datasheet, configuration, calibrated, assumed, got 'set'"));
}

TEST(PlatformAssumption, WithoutRangeOrReasonIsRefused) {
  const std::string start = "lanes = { value = 16, source = \"ours\", role = \"assumed\"";
  EXPECT_EQ(lanes(start + ", why = \"a guess\" }"),
            at_lanes("expected range = [LOW, HIGH] with role assumed, got none"));
  EXPECT_EQ(lanes(start + ", range = [8, 16] }"), at_lanes("expected why = \"REASON\" with role assumed, got none"));
  EXPECT_EQ(lanes(start + ", range = [8], why = \"a guess\" }"),
            at_lanes("expected range = [LOW, HIGH], got an array"));
  EXPECT_EQ(lanes(start + ", range = [4, 8], why = \"a guess\" }"),
            at_lanes("expected a value in its own range 4..8, got 16; help: widen 'range' beside it, up to 1..32"));
  EXPECT_EQ(lanes(start + ", range = [nan, nan], why = \"a guess\" }"),
            at_lanes("expected range = [LOW, HIGH] with LOW <= HIGH, got [nan, nan]"));
  EXPECT_EQ(lanes(start + ", range = [16, 8], why = \"a guess\" }"),
            at_lanes("expected range = [LOW, HIGH] with LOW <= HIGH, got [16, 8]"));
  EXPECT_EQ(lanes(start + ", range = [1, 64], why = \"a guess\" }"),
            at_lanes("expected a range within 1..32, got [1, 64]"));
  EXPECT_EQ(lanes(start + ", range = [0.5, 16], why = \"a guess\" }"),
            at_lanes("expected a range within 1..32, got [0.5, 16]"));
}

TEST(PlatformKeys, ThatContradictEachOtherAreRefused) {
  std::string text = f1_with("device.dram", "kernel_channels",
                             "kernel_channels = { value = 3, source = \"ours\", role = \"datasheet\" }");
  const auto channels = text.find("\nchannels = ", text.find("[device.dram]"));
  text.replace(text.find("value = 4", channels), 9, "value = 2");
  EXPECT_EQ(refusal(text),
            fmt::format("platform.toml:{}: key 'device.dram.kernel_channels': expected device.dram.kernel_channels <= "
                        "device.dram.channels, got 3 and 2",
                        line_of(text, "kernel_channels = ")));
}

TEST(PlatformKeys, ThatAFlagTurnsOffMayBeLeftOut) {
  const std::string text = f1_with("host.copy", "rate", "");
  EXPECT_THAT(refusal(text), HasSubstr("key 'host.copy.rate': expected 1 MB/s..1000 GB/s, got nothing"));
  EXPECT_EQ(refusal(text, {"host.copy.enabled=false"}), "");
  EXPECT_THAT(refusal(f1(), {"host.alloc.enabled=true"}), HasSubstr("key 'host.alloc.rate': expected"));
}

}  // namespace
}  // namespace isthmus::platform::testing
