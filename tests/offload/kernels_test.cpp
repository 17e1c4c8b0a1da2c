// Kernels of any number, with any number of ports and arguments, on one FPGA.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/model.hpp"
#include "offload/copies.hpp"

namespace isthmus::offload {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Writes its arguments, numbers after a buffer, into the buffer.
class Arguments : public KernelPorts {
 public:
  explicit Arguments(const KernelSpec& spec) : axi_(spec.axi) {}
  void step() {
    const fabric::KernelCall call = fabric::read_call(start);
    fabric::DeviceAddress at = address_argument(call.arguments[0]);
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 1; i < call.arguments.size(); ++i) numbers.push_back(number_argument(call.arguments[i]));
    std::span<const std::byte> left = std::as_bytes(std::span(numbers));
    while (!left.empty()) {
      const std::uint32_t now = axi_.first_burst(at.byte, left.size());
      fabric::AxiStore& store = stores[0].slot();
      store.channel = at.channel;
      store.write.address = at.byte;
      store.write.burst.bytes = now;
      std::ranges::copy(left.first(now), store.write.burst.data.begin());
      left = left.subspan(now);
      at.byte += now;
      store.last = left.empty();
    }
    written[0].read();
    finished.push({});
  }

 private:
  fabric::AxiSpec axi_;
};

/// Reads so many bytes from each of its buffers, each through a port of its own, all at once.
template <std::size_t Ports>
class Reads : public KernelPorts {
 public:
  explicit Reads(const KernelSpec&) : KernelPorts(Ports) {}
  void step() {
    const fabric::KernelCall call = fabric::read_call(start);
    const auto bytes = static_cast<std::uint64_t>(number_argument(call.arguments[Ports]));
    for (std::size_t port = 0; port < Ports; ++port)
      regions[port].push({.at = address_argument(call.arguments[port]), .bytes = bytes});
    for (std::uint64_t left = Ports * bytes; left > 0;)
      for (auto& port : data)
        if (const fabric::AxiBurst* burst = port.pull_in_place()) left -= burst->bytes;
    finished.push({});
  }
};

std::unique_ptr<ModelDevice> open_with(std::vector<KernelModel> kernels, std::vector<std::string> overrides = {}) {
  return open_model(platform::load(platform::file_of("model:aws-f1"), overrides), std::move(kernels));
}

struct Reading {
  Kernel kernel;
  std::vector<const Buffer*> buffers;
};

/// Seconds that the device takes to read `bytes` from each buffer, the launches of all kernels enqueued at once.
double time_of(ModelDevice& device, const std::vector<Reading>& readings, std::int32_t bytes) {
  std::vector<Event> events;
  std::vector<std::unique_ptr<Queue>> queues;
  for (std::size_t i = 0; i < readings.size(); ++i) queues.push_back(device.queue());
  device.run({{"host", [&] {
                 for (std::size_t i = 0; i < readings.size(); ++i) {
                   std::vector<Argument> arguments(readings[i].buffers.begin(), readings[i].buffers.end());
                   arguments.emplace_back(bytes);
                   events.push_back(queues[i]->launch(readings[i].kernel, {}, arguments));
                 }
                 for (const Event& event : events) event.wait();
               }}});
  const auto start = std::ranges::min(events, {}, [](const Event& event) { return event.span().start; });
  const auto end = std::ranges::max(events, {}, [](const Event& event) { return event.span().end; });
  return (end.span().end - start.span().start).seconds();
}

TEST(Kernels, GetEachOfTheirArgumentsHoweverManyThereAre) {
  const auto device = open_with({kernel_model<Arguments>("arguments")});
  const auto kernel = device->kernel("arguments");
  const auto queue = device->queue();
  EXPECT_TRUE(rc::check([&] {
    const auto count = *rc::gen::inRange<std::size_t>(1, fabric::kMostArguments);
    const auto numbers = *rc::gen::container<std::vector<std::int32_t>>(count, rc::gen::arbitrary<std::int32_t>());
    const auto buffer = device->buffer(4096);
    std::vector<std::int32_t> back(count);
    device->run({{"host", [&] {
                    std::vector<Argument> arguments{&buffer};
                    arguments.insert(arguments.end(), numbers.begin(), numbers.end());
                    queue->launch(kernel, {}, arguments).wait();
                    queue->read(buffer, 0, std::as_writable_bytes(std::span(back)));
                  }}});
    RC_ASSERT(back == numbers);
  }));
}

TEST(Kernels, TakeNoMoreArgumentsThanTheirRegistersHold) {
  const auto device = open_with({kernel_model<Arguments>("arguments")});
  const auto kernel = device->kernel("arguments");
  const auto queue = device->queue();
  EXPECT_THAT(
      [&] {
        device->run(
            {{"host", [&] { queue->launch(kernel, {}, std::vector<Argument>(fabric::kMostArguments + 1, 0)); }}});
      },
      ThrowsMessage<Error>(HasSubstr("a launch with 511 arguments: a kernel's registers hold 510")));
}

TEST(Kernels, AtPortsToChannelsOfTheirOwnReadAsMuchMore) {
  constexpr std::int32_t kBytes = 1 << 20;
  const auto device =
      open_with({kernel_model<Reads<1>>("one"), kernel_model<Reads<4>>("four")}, {"device.dram.kernel_channels=4"});
  std::deque<Buffer> buffers;
  std::vector<const Buffer*> all;
  for (int i = 0; i < 4; ++i) all.push_back(&buffers.emplace_back(device->buffer(kBytes)));
  const double alone = time_of(*device, {{.kernel = device->kernel("one"), .buffers = {all[0]}}}, kBytes);
  const double together = time_of(*device, {{.kernel = device->kernel("four"), .buffers = all}}, kBytes);
  EXPECT_NEAR(together / alone, 1, 0.02) << "four times the bytes in the same time";
}

TEST(Kernels, OfOneFpgaRunSideBySideAndShareAChannel) {
  constexpr std::int32_t kBytes = 1 << 20;
  const auto device = open_with({kernel_model<Reads<1>>("a"), kernel_model<Reads<1>>("b"), kernel_model<Reads<1>>("c")},
                                {"device.dram.kernel_channels=2"});
  std::vector<Buffer> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(device->buffer(kBytes));
  const auto reading = [&](const char* name, std::size_t buffer) {
    return Reading{.kernel = device->kernel(name), .buffers = {&buffers[buffer]}};
  };
  const double alone = time_of(*device, {reading("a", 0)}, kBytes);
  const double apart = time_of(*device, {reading("a", 0), reading("b", 1)}, kBytes);
  const double shared = time_of(*device, {reading("a", 0), reading("b", 2), reading("c", 0)}, kBytes);
  EXPECT_LT(apart / alone, 1.1) << "each in a channel of its own; the second is enqueued later";
  EXPECT_GT(shared / alone, 2.0) << "three through one channel, whose rate one port nearly takes";
  EXPECT_LT(shared / alone, 3.1);
}

TEST(HostThreads, AreAsManyAsAProgramHas) {
  const auto device = open_with({});
  std::deque<Copies> copies;
  std::vector<HostThread> threads;
  for (unsigned i = 0; i < 20; ++i)
    threads.push_back({"thread " + std::to_string(i), [&each = copies.emplace_back(*device, 64, i)] {
                         each.write();
                         each.read();
                       }});
  device->run(std::move(threads));
  for (const Copies& each : copies) EXPECT_EQ(each.back, each.sent);
}

TEST(Events, OfAnotherThreadHoldACommandBackUntilItsOwnThreadHasEnqueuedIt) {
  const auto device = open_with({});
  Copies copies(*device, 4096);
  const auto second = device->queue();
  const auto box = device->mailbox(1);
  Event write;
  Event read;
  device->run({{"a",
                [&] {
                  write = copies.start_write();
                  box->put(write);
                }},
               {"b", [&] {
                  const Event before = box->take();
                  read = second->start_read(copies.buffer, 0, copies.back, {before});
                  read.wait();
                }}});
  EXPECT_EQ(copies.back, copies.sent);
  EXPECT_GE(read.span().start, write.span().end);
}

TEST(Events, OfAnEarlierRunAreOver) {
  const auto device = open_with({});
  Copies copies(*device, 4096);
  Event early;
  device->run({{"host", [&] { early = copies.start_write(); }}});
  EXPECT_GT(early.span().length(), Time{}) << "what a run leaves is known";
  device->run({{"host", [&] {
                  const Moment before = device->now();
                  early.wait();
                  EXPECT_EQ(device->now(), before);
                  copies.start_read({early}).wait();
                }}});
  EXPECT_EQ(copies.back, copies.sent);
}

TEST(Events, OfAnotherDeviceThatStillRunsAreRefused) {
  const auto device = open_with({});
  const auto other = open_with({});
  const Copies copies(*device, 64);
  const Copies others(*other, 64);
  device->run({{"host", [&] {
                  const Event event = copies.write();
                  EXPECT_THAT(
                      [&] {
                        other->run({{"host", [&] { others.start_write({event}).wait(); }}});
                      },
                      ThrowsMessage<Error>(HasSubstr("expected one of this run or of one before")));
                }}});
}

TEST(Events, OfNothingCopiedAreNone) {
  const auto device = open_with({});
  const auto queue = device->queue();
  const auto buffer = device->buffer(64);
  EXPECT_THAT(
      [&] {
        device->run({{"host", [&] { queue->start_write(buffer, 0, {}); }}});
      },
      ThrowsMessage<Error>(HasSubstr("a copy of 0 bytes: expected 1 or more")));
}

TEST(Events, TellTheirTimesOnceTheirThreadKnowsOfTheEnd) {
  const auto device = open_with({});
  const Copies copies(*device, 1 << 16);
  device->run({{"host", [&] {
                  const Event early = copies.start_write();
                  const Event late = copies.start_write();
                  EXPECT_THAT([&] { early.span(); }, ThrowsMessage<Error>(HasSubstr("not complete")));
                  early.wait();
                  EXPECT_GT(early.span().length(), Time{});
                  EXPECT_THAT([&] { late.span(); }, ThrowsMessage<Error>(HasSubstr("not complete")));
                  copies.queue->finish();
                  EXPECT_GE(late.span().start, early.span().end);
                }}});
}

}  // namespace
}  // namespace isthmus::offload
