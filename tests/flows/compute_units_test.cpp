// Copies of a kernel that share the messages of a run on threads.
#include "flows/threads/compute_units.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "application/increments.hpp"
#include "application/inverted_packets.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/native.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t kNumbers = 64;

ByteApplication independent_increments() {
  auto application = increments(kNumbers);
  application.extras.independent = true;
  return application.bytes();
}

struct How {
  int units = 0;
  int workers = 0;
  std::map<std::string, int> placement{};
  Faults faults{};
};

Ran on_threads(const ByteApplication& application, int count, const How& how) {
  return ran("native", {},
             {.application = application,
              .flow = "stream",
              .count = count,
              .workers = how.workers,
              .placement = how.placement,
              .units = how.units,
              .faults = how.faults});
}

/// Adds 2 to each number; the first copy does so only once the second has finished `wanted` messages.
struct HeldUp {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  std::atomic<int>& finished;
  int wanted;
  bool waits;

  HeldUp(const ComputeUnit& unit, std::atomic<int>& messages, int most)
      : finished(messages), wanted(most), waits(unit.number == 0) {}
  void step() {
    StreamWord word = in.read();
    while (waits && finished.load() < wanted) std::this_thread::yield();
    word.data = plus(word.data, 2);
    out.push(word);
    if (!waits && word.last) ++finished;
  }
};

/// Adds to each byte the number of its packet, which it counts.
struct Numberer {
  In<NetPacket> in{"in"};
  Out<NetPacket> out{"out"};
  int packet;
  int every;

  explicit Numberer(const ComputeUnit& unit) : packet(unit.number), every(unit.of) {}
  void step() {
    NetPacket beat = in.read();
    for (std::byte& each : beat.data) each = static_cast<std::byte>(std::to_integer<int>(each) + packet);
    if (beat.eop) packet += every;
    out.push(beat);
  }
};

/// `heeds`: whether each copy of the kernel counts the packets of the others too.
ByteApplication numbered_packets(std::uint32_t seed, bool heeds) {
  Packets packets;
  packets.most = 1500;
  packets.length = [seed](int packet) {
    std::minstd_rand random(seed + static_cast<std::uint32_t>(packet));
    random.discard(2);
    return std::uniform_int_distribution<std::size_t>(64, 1500)(random);
  };
  packets.fill = fill_packet;
  packets.reference = [](std::uint64_t position, std::vector<std::byte>& bytes) {
    for (std::byte& each : bytes) each = static_cast<std::byte>(std::to_integer<std::uint64_t>(each) + position);
  };
  Extras extras{.counted = "packets"};
  extras.packets = std::move(packets);
  extras.independent = true;
  return {.name = "numberer",
          .summary = "",
          .input = 1536,
          .output = 1536,
          .kernel =
              [heeds](Kernel& kernel) {
                auto& actor = kernel.add<Numberer>("numberer", heeds ? kernel.unit() : ComputeUnit{});
                kernel.from_network(actor.in);
                kernel.to_network(actor.out);
              },
          .extras = std::move(extras)};
}

TEST(ComputeUnits, GiveTheOutputsOfOneInTheOrderOfTheMessages) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::minstd_rand random(seed);
  for (int i = 0; i < 40; ++i) {
    const int units = std::uniform_int_distribution(1, 5)(random);
    const int count = std::uniform_int_distribution(1, i % 8 == 0 ? 2500 : 30)(random);
    SCOPED_TRACE(testing::Message() << units << " units, " << count << " messages");
    int next = 0;
    bool in_order = true;
    ByteApplication application = independent_increments();
    application.extras.received = [&](std::span<const std::byte> output) {
      Number first = 0;
      std::memcpy(&first, output.data(), sizeof(first));
      in_order = in_order && first == static_cast<Number>(next++) * 1000003U + 2;
    };
    const Ran on = on_threads(application, count, {.units = units});
    EXPECT_TRUE(on.run.right());
    EXPECT_TRUE(in_order);
    EXPECT_EQ(next, count);
    EXPECT_EQ(on.run.times.latencies.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(on.run.times.first.size(), static_cast<std::size_t>(std::min(count, kMessagesTold)));
    for (const Time latency : on.run.times.latencies) EXPECT_LE(latency, on.run.times.elapsed);
    EXPECT_EQ(on.row.at("compute_units"), std::min(units, count));
  }
}

TEST(ComputeUnits, TakeTheMessagesThatOneThatIsHeldUpLeaves) {
  static constexpr int kMoreThanHalf = 60;
  std::atomic<int> finished = 0;
  auto application = increments(kNumbers);
  application.extras.independent = true;
  application.kernel = [&finished](Kernel& kernel) {
    auto& actor = kernel.add<HeldUp>("held up", kernel.unit(), finished, kMoreThanHalf);
    kernel.from_host(actor.in);
    kernel.to_host(actor.out);
  };
  const Ran on = on_threads(application.bytes(), 100, {.units = 2, .workers = 2});
  EXPECT_TRUE(on.run.right());
  EXPECT_GE(finished.load(), kMoreThanHalf);
}

TEST(ComputeUnits, AreOneForEachWorkerWhereMessagesAreIndependentAndElseOne) {
  const ByteApplication application = independent_increments();
  const ByteApplication dependent = increments(kNumbers).bytes();
  const auto units = [](const ByteApplication& of, const How& how) {
    return on_threads(of, 50, how).row.at("compute_units");
  };
  EXPECT_EQ(units(application, {}), native::cores());
  EXPECT_EQ(units(application, {.workers = 1}), 1);
  EXPECT_EQ(units(application, {.placement = {{"first", 0}}}), 1);
  EXPECT_EQ(units(application, {.faults = {.stall = 0.01}}), 1);
  EXPECT_EQ(units(dependent, {}), 1);
}

TEST(ComputeUnits, EachRunOnOneWorkerUnlessTheUserPlacesTheirActors) {
  const ByteApplication application = independent_increments();
  const auto worker_of = [](const Ran& on, const std::string& actor) {
    for (std::size_t worker = 0; worker < on.row.at("workers").size(); ++worker)
      for (const auto& name : on.row.at("workers")[worker].at("actors"))
        if (name == actor) return static_cast<int>(worker);
    return -1;
  };
  const Ran usual = on_threads(application, 50, {.units = 2, .workers = 2});
  for (const char* actor : {"first", "second", "producer", "consumer", "buffer reader", "input pool"})
    for (const int unit : {0, 1}) EXPECT_EQ(worker_of(usual, fmt::format("unit {}/{}", unit, actor)), unit) << actor;
  const Ran placed =
      on_threads(application, 50, {.units = 2, .workers = 2, .placement = {{"unit 0", 1}, {"unit 0/second", 0}}});
  EXPECT_EQ(worker_of(placed, "unit 0/first"), 1);
  EXPECT_EQ(worker_of(placed, "unit 0/second"), 0);
  EXPECT_EQ(worker_of(placed, "unit 1/first"), 1);
}

TEST(ComputeUnits, TakePacketsInTurnSoThatTheirNumbersAreThoseOfOne) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const auto passes = [seed](int units, int count) {
    const ByteApplication application = numbered_packets(seed, true);
    const Ran on = on_threads(application, count, {.units = units});
    EXPECT_TRUE(on.run.right()) << units << " units, " << count << " packets";
    EXPECT_EQ(on.run.packets->received, count);
    EXPECT_EQ(on.row.at("compute_units"), std::min(units, count));
  };
  for (const int units : {1, 2, 3, 5})
    for (const int count : {1, 2, 7, 1000}) passes(units, count);
  const int more_than_a_stretch_of_memory = 120'000;
  passes(3, more_than_a_stretch_of_memory);
}

TEST(ComputeUnits, AreSeenToBeWrongWhereAKernelCountsOnlyItsOwnPackets) {
  const ByteApplication application = numbered_packets(1, false);
  EXPECT_TRUE(on_threads(application, 100, {.units = 1}).run.right());
  EXPECT_FALSE(on_threads(application, 100, {.units = 2}).run.right());
}

TEST(ComputeUnits, AreRefusedWhereThereCanBeOnlyOne) {
  const ByteApplication dependent = increments(kNumbers).bytes();
  const ByteApplication application = independent_increments();
  const auto refused = [](const ByteApplication& of, const How& how, const char* why) {
    EXPECT_THAT([&] { on_threads(of, 4, how); },
                ThrowsMessage<Error>(AllOf(HasSubstr("--compute-units: expected 1 of"), HasSubstr(why))));
  };
  refused(dependent, {.units = 2}, "may depend on each other, got 2");
  refused(application, {.units = 3, .faults = {.stall = 0.1}}, "with faults, got 3");
}

}  // namespace
}  // namespace isthmus::program
