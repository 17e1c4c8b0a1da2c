// Applications that are described: every byte is right whatever is said, and what is said takes its time.
#include "isthmus/apps/described.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <string>

#include "apps/described_by.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::apps {
namespace {

using program::ByteApplication;
using program::Run;
using testing::HasSubstr;
using testing::ThrowsMessage;

Run run(const std::string& target, const std::string& flow, const ByteApplication& of, int count = 3,
        platform::Grain grain = platform::Grain::fine) {
  return program::open_target(target, {})->run({.application = of, .flow = flow, .count = count, .grain = grain});
}

double seconds_each(const std::string& target, const std::string& flow, const Said& said, int count = 3) {
  const Run done = run(target, flow, described_by(said), count);
  EXPECT_FALSE(done.difference);
  return done.times.elapsed.seconds() / count;
}

std::string transfers(const std::string& direction) {
  const int bytes = *rc::gen::inRange(1, 20000);
  const char* memory = *rc::gen::element("pageable", "pinned");
  return fmt::format("{}:{}:{}x{}", direction, memory, bytes, *rc::gen::inRange(1, 4));
}

/// Bytes that a direction of a description moves, in whole words.
std::size_t bytes_of(const Said& said, const std::string& direction) {
  const ByteApplication whole = described_by({{"transfers", said.at("transfers")}, {"device_write", "1000000000"}});
  return direction == "to-device" ? whole.input : whole.output;
}

Said drawn() {
  Said said{{"transfers", transfers("to-device") + "," + transfers("to-host")},
            {"launches", std::to_string(*rc::gen::inRange(1, 5))},
            {"cycles", std::to_string(*rc::gen::inRange(0, 3000))},
            {"burst", *rc::gen::elementOf(std::vector<std::string>{"0", "64", "256", "4096"})}};
  if (*rc::gen::inRange(0, 8) == 0) said["transfers"] = transfers("to-host");
  if (*rc::gen::inRange(0, 8) == 0) said["transfers"] = transfers("to-device");
  if (*rc::gen::arbitrary<bool>()) {  // it streams, where it has two directions
    said["launches"] = "1";
    said["burst"] = "0";
    said["device_read"] = std::to_string(*rc::gen::inRange<std::size_t>(0, bytes_of(said, "to-device") + 1));
    said["device_write"] = std::to_string(bytes_of(said, "to-host"));
    return said;
  }
  said["device_read"] = std::to_string(*rc::gen::inRange(0, 100000));
  said["device_write"] = std::to_string(bytes_of(said, "to-host") + *rc::gen::inRange(0, 50000));
  return said;
}

class Described : public testing::TestWithParam<const char*> {};

TEST_P(Described, WhateverIsSaidEveryByteIsRightInEachFlowThatTheBoardHas) {
  EXPECT_TRUE(rc::check([] {
    const Said said = drawn();
    for (const auto& [name, value] : said) RC_LOG() << name << "=" << value << "\n";
    const ByteApplication of = described_by(said);
    const auto target = program::open_target(GetParam(), {});
    for (const std::string& flow : target->flows(of)) {
      RC_LOG() << flow << "\n";
      RC_ASSERT(!run(GetParam(), flow, of, 2).difference);
    }
  }));
}
INSTANTIATE_TEST_SUITE_P(Boards, Described, testing::Values("model:aws-f1", "model:xeon-fpga-v1"));

TEST(DescribedApplication, ReadsAMessageAgainWhereItLiesAndGivesTheSameBytes) {
  for (const char* launches : {"1", "4"}) {
    const ByteApplication of = described_by({{"transfers", "to-device:pageable:8192x2,to-host:pageable:4096x1"},
                                             {"launches", launches},
                                             {"device_read", "65536"},
                                             {"device_write", std::to_string(4096 * std::stoi(launches))},
                                             {"in_place", "yes"}});
    EXPECT_FALSE(run("model:xeon-fpga-v1", "shared", of).difference) << launches;
    EXPECT_FALSE(run("model:xeon-fpga-v1", "shared", of, 3, platform::Grain::coarse).difference) << launches;
  }
}

TEST(DescribedApplication, OneLongLaunchIsToldFromTwoShorterOnes) {
  const ByteApplication of = described_by({{"transfers", "to-device:pageable:262144x1,to-host:pageable:4096x1"},
                                           {"device_read", "5242880"},
                                           {"device_write", "4096"},
                                           {"in_place", "yes"}});
  const program::Run fine = run("model:xeon-fpga-v1", "shared", of, 1);
  const program::Run coarse = run("model:xeon-fpga-v1", "shared", of, 1, platform::Grain::coarse);
  EXPECT_FALSE(coarse.difference);
  EXPECT_NEAR(coarse.times.elapsed.seconds() / fine.times.elapsed.seconds(), 1, 0.01);
}

/// The check can say no.
TEST(DescribedApplication, AByteThatIsNotWhatTheKernelMakesIsFound) {
  ByteApplication of = described_by({{"transfers", "to-device:pinned:640x1,to-host:pinned:320x1"}});
  of.reference = [right = of.reference](std::span<const std::byte> in, std::span<std::byte> out) {
    right(in, out);
    out[300] ^= std::byte{1};
  };
  const program::Run wrong = run("model:aws-f1", "offload", of);
  ASSERT_TRUE(wrong.difference);
  EXPECT_EQ(wrong.difference->elements, 3U);
}

TEST(DescribedApplication, TheTimeOfItsKernelAndOfItsHostAddUpBetweenCopies) {
  const Said nothing{{"transfers", "to-device:pageable:4096x1,to-host:pageable:4096x1"},
                     {"device_read", "4096"},
                     {"device_write", "4096"}};
  Said both = nothing;
  both["launches"] = "2";
  Said launched = both;
  both["cycles"] = "250000";  // 1 ms of 250 MHz each
  both["host_time"] = "3000000";
  EXPECT_NEAR(seconds_each("model:aws-f1", "offload", both) - seconds_each("model:aws-f1", "offload", launched), 5e-3,
              5e-6);
  EXPECT_NEAR(seconds_each("model:aws-f1", "overlap", both, 50), 3e-3, 0.3e-3) << "the kernel goes on meanwhile";
}

TEST(DescribedApplication, PinnedMemoryIsNotCopiedByTheHost) {
  const auto each = [](const char* memory) {
    return seconds_each("model:aws-f1", "offload",
                        {{"transfers", fmt::format("to-device:{}:3310000x1,to-host:pinned:64x1", memory)}});
  };
  EXPECT_NEAR(each("pageable") - each("pinned"), 1e-3, 1e-5) << "3.31 GB/s";
}

TEST(DescribedApplication, WhatContradictsItselfIsOneError) {
  const auto refuses = [](const Said& said, const char* complaint) {
    EXPECT_THAT([&] { described_by(said); }, ThrowsMessage<Error>(HasSubstr(complaint))) << complaint;
  };
  refuses({{"transfers", "to-device:pageable:0x1"}}, "transfers: expected DIRECTION:MEMORY:BYTESxCOUNT");
  refuses({{"transfers", "to-device:paged:64x1"}}, "got 'to-device:paged:64x1'");
  refuses({{"transfers", "to-host:pinned:4096x1"}, {"device_write", "64"}},
          "device_write: expected the 4096 bytes that go to the host or more, got 64");
  refuses({{"transfers", "to-device:pinned:64x1000"}}, "transfers: expected 480 or less in a message, got 1000");
  refuses({{"in_place", "yes"}, {"transfers", "to-device:pinned:64x1"}}, "in_place: expected bytes in both directions");
}

}  // namespace
}  // namespace isthmus::apps
