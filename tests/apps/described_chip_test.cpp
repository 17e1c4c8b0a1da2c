// Described applications on a chip: by each method every byte is right, unless nothing keeps the buffers coherent, and
// what is said takes its time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "apps/described_by.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::apps {
namespace {

using program::stage;
using soc::Method;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kChip = "model:zynq-ultrascale";
constexpr std::array kEach = {Method::hp_nc, Method::hp_c, Method::hpc, Method::acp};

program::ByteApplication application(Said said) {
  said["in_place"] = "ports";
  return described_by(said);
}

program::Run run(const program::ByteApplication& of, const std::vector<Method>& methods, int count = 2,
                 const std::vector<std::string>& overrides = {}, platform::Grain grain = platform::Grain::fine) {
  return program::open_target(kChip, overrides)
      ->run({.application = of, .flow = "shared", .count = count, .grain = grain, .choice = {.methods = methods}});
}

program::Run run_by(Method method, const Said& said, const std::vector<std::string>& overrides = {}) {
  const program::ByteApplication of = application(said);
  return run(of, std::vector(of.extras.buffers.size(), method), 2, overrides);
}

Said both_ways(const std::string& use, std::size_t bytes = 16384) {
  return {{"transfers", fmt::format("to-device:pinned:{0}x1{1},to-host:pinned:{0}x1{1}", bytes, use)},
          {"device_read", std::to_string(bytes)},
          {"device_write", std::to_string(bytes)}};
}

std::string transfers(const std::string& direction) {
  return fmt::format("{}:{}:{}x{}:{}:{}", direction, *rc::gen::element("pageable", "pinned"),
                     *rc::gen::inRange(1, 6000), *rc::gen::inRange(1, 4), *rc::gen::element("writes", "reads", "both"),
                     *rc::gen::element("sequential", "random"));
}

Said drawn() {
  Said said{{"launches", std::to_string(*rc::gen::inRange(1, 5))},
            {"cycles", std::to_string(*rc::gen::inRange(0, 3000))},
            {"burst", *rc::gen::elementOf(std::vector<std::string>{"0", "64", "256", "4096"})},
            {"device_read", std::to_string(*rc::gen::inRange(0, 50000))},
            {"device_write", std::to_string(80000 + *rc::gen::inRange(0, 50000))}};
  const std::string into = transfers("to-device") + "," + transfers("to-device");
  const std::string out = transfers("to-host") + "," + transfers("to-host");
  said["transfers"] = *rc::gen::element(0, 1, 2, 3) == 0 ? out : *rc::gen::arbitrary<bool>() ? into + "," + out : into;
  return said;
}

TEST(DescribedOnAChip, WhateverIsSaidEveryByteIsRightWhateverMethodsItsBuffersHave) {
  EXPECT_TRUE(rc::check([] {
    const Said said = drawn();
    for (const auto& [name, value] : said) RC_LOG() << name << "=" << value << "\n";
    const program::ByteApplication of = application(said);
    std::vector<Method> methods(of.extras.buffers.size());
    for (Method& method : methods) method = *rc::gen::elementOf(std::vector(kEach.begin(), kEach.end()));
    if (*rc::gen::arbitrary<bool>()) std::ranges::fill(methods, methods.front());
    RC_ASSERT(run(of, methods).right());
  }));
}

TEST(DescribedOnAChip, IsStaleWithoutSnoopsOrWithoutItsFlush) {
  const Said said = both_ways(":writes:random", 4096);
  for (const auto& [method, setting] :
       {std::pair{Method::hpc, "port.hpc.snoop=false"}, std::pair{Method::hp_c, "cpu.maintenance.enabled=false"}}) {
    EXPECT_FALSE(run_by(method, said, {setting}).right()) << setting;
    EXPECT_TRUE(run_by(Method::acp, said, {setting}).right()) << setting;
  }
}

TEST(DescribedOnAChip, ItsStagesFillTheRunAndOnlyHpOfCacheableMemoryIsMaintained) {
  for (const Method method : kEach) {
    const program::Run done = run_by(method, both_ways(""));
    double all = 0;
    for (const program::Stage& each : done.times.stages) all += each.time.seconds();
    EXPECT_NEAR(all / done.times.elapsed.seconds(), 1, 1e-9);
    EXPECT_EQ(stage(done, "maintenance") > 0.01 * all, method == Method::hp_c);
  }
}

TEST(DescribedOnAChip, TheTimesOfItsHostAndOfItsKernelAddUp) {
  const Said nothing = both_ways("", 64);
  Said both = nothing;
  both["launches"] = "2";
  both["device_write"] = "128";
  Said longer = both;
  longer["cycles"] = "300000";  // 1 ms of 300 MHz, each launch
  longer["host_time"] = "3000000";
  const double taken = run_by(Method::hpc, longer).times.elapsed.seconds();
  EXPECT_NEAR(taken - run_by(Method::hpc, both).times.elapsed.seconds(), 2 * 5e-3, 1e-5);
}

TEST(DescribedOnAChip, CoresPayForWhatTheyDoWithTheBytes) {
  const auto taken = [](Method method, const std::string& name, const std::string& use) {
    return stage(run_by(method, both_ways(use)), name);
  };
  EXPECT_GT(taken(Method::hp_nc, "read", ""), 5 * taken(Method::hpc, "read", "")) << "loads of non-cacheable memory";
  EXPECT_GT(taken(Method::hp_nc, "write", ":writes:random"), 2 * taken(Method::hp_nc, "write", ":writes:sequential"));
  EXPECT_GT(taken(Method::hpc, "write", ":both:sequential"), 1.2 * taken(Method::hpc, "write", ":writes:sequential"));
  EXPECT_GT(taken(Method::hpc, "read", ":both:sequential"), 1.05 * taken(Method::hpc, "read", ":reads:sequential"));
}

TEST(DescribedOnAChip, ItsBuffersSayWhatTheDecisionTreeAsks) {
  const auto of = application({{"transfers", "to-device:pinned:100x3:both:random,to-host:pageable:4096x1"}});
  ASSERT_EQ(of.extras.buffers.size(), 2U);
  const soc::Buffer& sent = of.extras.buffers.front();
  EXPECT_EQ(sent.name, "transfer.0");
  EXPECT_EQ(sent.bytes, 128U) << "of one transfer, in whole words";
  EXPECT_FALSE(sent.mostly_written);
  EXPECT_FALSE(sent.sequential);
  EXPECT_EQ(of.extras.buffers.back().direction, soc::Direction::to_cpu);
}

TEST(DescribedOnAChip, ALongRunIsToldFromItsFirstMessagesAndEveryByteIsStillCompared) {
  const Said said{{"transfers", "to-device:pageable:9000x2:both:random,to-host:pageable:5000x1"},
                  {"launches", "3"},
                  {"device_read", "40000"},
                  {"device_write", "20000"},
                  {"host_time", "1000"}};
  for (const Method method : kEach) {
    program::ByteApplication of = application(said);
    const std::vector<Method> methods(of.extras.buffers.size(), method);
    const program::Run fine = run(of, methods, 12);
    const program::Run coarse = run(of, methods, 12, {}, platform::Grain::coarse);
    EXPECT_TRUE(coarse.right());
    EXPECT_NEAR(coarse.times.elapsed.seconds() / fine.times.elapsed.seconds(), 1, 0.01);
    EXPECT_EQ(coarse.times.latencies.size(), 12U);
    for (const char* name : {"write", "kernel", "read", "maintenance"})
      EXPECT_NEAR(stage(coarse, name), stage(fine, name), 0.02 * fine.times.elapsed.seconds()) << name;
    of.reference = [right = of.reference](std::span<const std::byte> in, std::span<std::byte> out) {
      right(in, out);
      out[100] ^= std::byte{1};
    };
    const program::Run wrong = run(of, methods, 12, {}, platform::Grain::coarse);
    ASSERT_TRUE(wrong.difference);
    EXPECT_EQ(wrong.difference->messages, 12);
  }
}

TEST(DescribedOnAChip, WhatIsNoUseOfTheBytesIsOneError) {
  for (const char* use : {":often:random", ":writes", ":writes:backwards"})
    EXPECT_THAT(
        [&] {
          application({{"transfers", fmt::format("to-device:pinned:64x1{}", use)}});
        },
        ThrowsMessage<Error>(HasSubstr("transfers: expected DIRECTION:MEMORY:BYTESxCOUNT")));
}

}  // namespace
}  // namespace isthmus::apps
