#include "isthmus/offload/model.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "offload/copies.hpp"

namespace isthmus::offload {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<ModelDevice> open(const std::string& target = "model:aws-f1", std::vector<std::string> overrides = {}) {
  return open_model(platform::load(platform::file_of(target), overrides), {});
}

/// How long a blocking write of `size` takes.
Time write_time(ModelDevice& device, std::size_t size) {
  const Copies copies(device, size);
  Time time;
  device.run({{"host", [&] {
                 const Moment start = device.now();
                 copies.write();
                 time = device.now() - start;
               }}});
  return time;
}

Time held_by(const ModelDevice& device, const std::string& part) {
  Time sum;
  for (const platform::Held& held : device.path())
    if (held.part == part) sum += held.time;
  return sum;
}

TEST(CriticalPath, LastsAsLongAsTheRunWhateverOverlaps) {
  for (const char* board : {"model:aws-f1", "model:alpha-data-7v3"}) {
    const auto device = open(board);
    const Copies there(*device, 300'000);
    Copies back(*device, 300'000);
    const auto body = [&] {
      for (int i = 0; i < 3; ++i) there.write();
    };
    device->run({{"in", body}, {"out", [&] {
                                  for (int i = 0; i < 4; ++i) back.read();
                                }}});
    Time sum;
    for (const platform::Held& held : device->path()) sum += held.time;
    EXPECT_NEAR(sum.seconds(), device->last_run().seconds(), 1e-12) << board;
  }
}

TEST(CriticalPath, OfBlockingCopiesHoldsEachStepOfEachOfThem) {
  const auto device = open("model:alpha-data-7v3");
  const std::size_t size = 4'000'000;
  const Copies copies(*device, size);
  device->run({{"host", [&] {
                  for (int i = 0; i < 3; ++i) copies.write();
                }}});
  const double all = 3.0 * static_cast<double>(size);
  // host.copy.rate, host.alloc.rate, dma.rate and host.call.transfer of the board.
  EXPECT_NEAR(held_by(*device, "host copy thread").seconds(), all / 5.62e9, 1e-9);
  EXPECT_NEAR(held_by(*device, "pinned allocation").seconds(), all / 3.93e9, 1e-9);
  EXPECT_NEAR(held_by(*device, "DMA engine").seconds(), all / 5.2e9, 0.01 * all / 5.2e9);
  EXPECT_LE(held_by(*device, "driver calls").seconds(), 3 * 160e-6);
  EXPECT_GT(held_by(*device, "driver calls").seconds(), 3 * 100e-6);
}

TEST(CriticalPath, OfTwoThreadsIsThatOfTheSlower) {
  const auto device = open("model:alpha-data-7v3", {"host.alloc.enabled=false"});
  const std::size_t size = 2'000'000;
  const Copies large(*device, size);
  Copies small(*device, 1000);
  device->run({{"in", [&] { large.write(); }}, {"out", [&] { small.read(); }}});
  EXPECT_NEAR(held_by(*device, "host copy thread").seconds(), static_cast<double>(size) / 5.62e9, 1e-9)
      << "the small copy went on meanwhile";
}

TEST(ModelDevice, BytesComeBackAsTheyWereWhateverTheirNumber) {
  const auto device = open();
  EXPECT_TRUE(rc::check([&device] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 20'000);
    Copies copies(*device, size, *rc::gen::arbitrary<unsigned>());
    device->run({{"host", [&] { copies.write(); }}});
    device->run({{"host", [&] { copies.read(); }}});
    RC_ASSERT(copies.sent == copies.back);
  }));
}

TEST(ModelDevice, BuffersInSeveralMemoryChannelsKeepTheirBytes) {
  for (const char* channels : {"1", "2", "3", "4"}) {
    const auto device = open("model:aws-f1", {std::string("device.dram.kernel_channels=") + channels});
    const auto queue = device->queue();
    std::vector<Copies> copies;
    for (unsigned i = 0; i < 6; ++i) copies.emplace_back(*device, 5000, i);
    device->run({{"host", [&] {
                    for (const Copies& each : copies) queue->start_write(each.buffer, 0, each.sent);
                    for (Copies& each : copies) queue->start_read(each.buffer, 0, each.back);
                    queue->finish();
                  }}});
    for (const Copies& each : copies) EXPECT_EQ(each.sent, each.back) << channels;
  }
}

TEST(ModelDevice, CommandsOfAQueueRunInOrderAndEventsAcrossQueuesAreKept) {
  const auto device = open();
  Copies copies(*device, 4096);
  const auto reads = device->queue();
  std::vector<Event> events;
  device->run({{"host", [&] {
                  events.push_back(copies.start_write());
                  events.push_back(copies.start_write());
                  events.push_back(reads->start_read(copies.buffer, 0, copies.back, {events[1]}));
                  events[2].wait();
                }}});
  EXPECT_LE(events[0].span().end, events[1].span().start);
  EXPECT_LE(events[1].span().end, events[2].span().start);
  EXPECT_GT(events[2].span().length(), Time{});
  EXPECT_EQ(copies.back, copies.sent);
}

TEST(ModelDevice, ACopyInEachDirectionByTwoThreadsGoesOnAtOnce) {
  constexpr std::size_t kSize = 1 << 20;
  const auto device = open();
  const Time alone = write_time(*device, kSize);
  const Copies in(*device, kSize);
  Copies out(*device, kSize);
  device->run({{"in", [&] { in.write(); }}, {"out", [&] { out.read(); }}});
  EXPECT_LT(device->last_run().seconds(), 1.1 * alone.seconds());
}

TEST(ModelDevice, AThreadWaitsAtAFullAndAtAnEmptyMailbox) {
  const auto device = open();
  const Copies copies(*device, 64);
  const auto box = device->mailbox(1);
  std::vector<Moment> put;
  std::vector<Moment> taken;
  device->run({{"sender",
                [&] {
                  const Event event = copies.write();
                  for (int i = 0; i < 3; ++i) {
                    box->put(event);
                    put.push_back(device->now());
                  }
                }},
               {"receiver", [&] {
                  for (int i = 0; i < 3; ++i) {
                    box->take();
                    taken.push_back(device->now());
                  }
                }}});
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_GT(taken[0], Moment{});  // not before the write
  EXPECT_TRUE(std::ranges::is_sorted(put) && std::ranges::is_sorted(taken));
}

TEST(ModelDevice, TheFirstExceptionOfABodyComesOut) {
  const auto device = open();
  const auto box = device->mailbox(1);
  const std::vector<HostThread> threads{{"waits", [&] { box->take(); }}, {"fails", [&] { throw Interrupted(); }}};
  EXPECT_THROW(device->run(threads), Interrupted);
  EXPECT_NO_THROW(write_time(*device, 64));
}

TEST(ModelDevice, ABodyThatWaitsForEverIsNamed) {
  const auto device = open();
  const auto box = device->mailbox(1);
  const std::vector<HostThread> threads{{"lonely", [&] { box->take(); }}};
  EXPECT_THAT([&] { device->run(threads); }, ThrowsMessage<Error>(HasSubstr("lonely")));
}

TEST(ModelDevice, ABufferBeyondTheMemoryIsRefused) {
  const auto device = open();
  EXPECT_THAT([&] { device->buffer(std::size_t{64} << 30U); }, ThrowsMessage<Error>(HasSubstr("no room")));
}

TEST(ModelDevice, AFreedBufferMakesRoomForTheNext) {
  const auto device = open("model:aws-f1", {"device.dram.capacity=4MiB"});  // a quarter of it for each channel
  for (int i = 0; i < 5; ++i) EXPECT_NO_THROW(device->buffer(1 << 20)) << i;
}

TEST(ModelDevice, ACopyThatDoesNotFitItsBufferIsRefused) {
  const auto device = open();
  const auto queue = device->queue();
  const auto buffer = device->buffer(64);
  const std::vector<std::byte> data(65);
  const std::vector<HostThread> threads{{"host", [&] { queue->write(buffer, 0, data); }}};
  EXPECT_THAT([&] { device->run(threads); }, ThrowsMessage<Error>(HasSubstr("65 bytes")));
}

TEST(ModelDevice, AnUnknownKernelIsRefused) {
  EXPECT_THAT([] { open()->kernel("sort"); }, ThrowsMessage<Error>(HasSubstr("'sort'")));
}

TEST(ModelDevice, BusyStarvedAndBlockedTimeOfEachPartIsItsLifetime) {
  const auto device = open();
  write_time(*device, 1 << 20);
  for (const Part& part : device->parts())
    EXPECT_EQ(part.busy + part.starved + part.blocked, part.lifetime) << part.name;
}

TEST(ModelDevice, AHypervisorCostsItsTripsAndNothingElse) {
  const Time bare = write_time(*open(), 4096);
  const Time with = write_time(*open("model:aws-f1", {"hypervisor.enabled=true", "hypervisor.cost=20us"}), 4096);
  EXPECT_NEAR((with - bare).seconds(), 2 * 20e-6, 1e-9);  // a driver call and an interrupt
}

TEST(ModelDevice, HalfTheLanesNeverSpeedAnythingUp) {
  for (const std::size_t size : {64UL, 4096UL, 100'000UL, 1UL << 20U})
    EXPECT_GE(write_time(*open("model:aws-f1", {"link.pcie.lanes=8"}), size), write_time(*open(), size)) << size;
}

TEST(ModelDevice, HalfTheLanesHalveALinkBoundRate) {
  const std::vector<std::string> pinned{"host.copy.enabled=false"};
  constexpr std::size_t kLong = 8 << 20;
  const double whole = (write_time(*open("model:aws-f1", pinned), kLong) - write_time(*open(), 64)).seconds();
  const double half =
      (write_time(*open("model:aws-f1", {pinned[0], "link.pcie.lanes=8"}), kLong) - write_time(*open(), 64)).seconds();
  EXPECT_NEAR(half / whole, 2, 0.05);
}

}  // namespace
}  // namespace isthmus::offload
