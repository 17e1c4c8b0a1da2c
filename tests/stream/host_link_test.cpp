// The host link of stacc IV-D over a modelled PCIe link: what goes in comes out, whatever the rates at both ends.
#include "isthmus/stream/host_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/pcie_link.hpp"

namespace isthmus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Hands every word on, `cycles` a word, and answers every control message with its double; the tag is the lowest bit.
struct Echo {
  In<StreamWord> in{"in"};
  In<std::uint32_t> control{"control"};
  Out<StreamWord> out{"out"};
  Out<ControlMessage> status{"status"};
  int controls;
  explicit Echo(int messages) : controls(messages) {}
  void step() {
    for (; controls > 0; --controls) {
      const std::uint32_t message = control.read();
      status.push({.tag = message % 2, .message = 2 * message});
    }
    out.push(in.read());
  }
  bool done() const { return false; }
};

/// A host thread whose body is given.
struct Producer {
  HostInput link;
  HostControl control;
  Timer timer;
  std::function<void(Producer&)> body;
  bool over = false;
  Producer(PinnedMemory& memory, const HostLinkSpec& spec, std::function<void(Producer&)> what)
      : link(memory, spec.library_call), control(spec.mmio_store), body(std::move(what)) {}
  void step() {
    body(*this);
    over = true;
  }
  bool done() const { return over; }
};

struct Consumer {
  HostOutput link;
  Timer timer;
  std::function<void(Consumer&)> body;
  bool over = false;
  Consumer(PinnedMemory& memory, const HostLinkSpec& spec, std::function<void(Consumer&)> what)
      : link(memory, spec.library_call), body(std::move(what)) {}
  void step() {
    body(*this);
    over = true;
  }
  bool done() const { return over; }
};

struct Bench {
  HostLinkSpec spec{.buffer_size = Bytes{64 * 1024}, .input_buffers = 3, .output_buffers = 2};
  int interval = 1;  ///< cycles of the kernel for a word
  int controls = 0;  ///< control messages that the kernel answers before it starts

  RunReport run(std::function<void(Producer&)> produce, std::function<void(Consumer&)> consume) {
    Graph graph;
    fabric::PcieLink pcie = fabric::add_pcie_link(graph, {}, {Bandwidth::gb_per_second(68)});
    HostLink link(graph, pcie, spec);
    auto& producer = graph.add<Producer>("producer", {}, pcie.memory, spec, std::move(produce));
    auto& consumer = graph.add<Consumer>("consumer", {}, pcie.memory, spec, std::move(consume));
    auto& echo = graph.add<Echo>("echo", {.clock = spec.device_clock, .initiation_interval = interval}, controls);
    link.connect(producer.link);
    link.connect(producer.control);
    link.connect(consumer.link);
    graph.connect(link.to_kernel(), echo.in, {.depth = 16});
    graph.connect(echo.out, link.from_kernel(), {.depth = 16});
    graph.connect(link.control_to_kernel(), echo.control, {.depth = 16});
    graph.connect(echo.status, link.control_from_kernel(), {.depth = 16});
    return graph.run();
  }
};

std::byte value(int message, std::size_t at) {
  return static_cast<std::byte>(at * 31 + at / 253 + static_cast<std::size_t>(message));
}

void fill(std::span<std::byte> bytes, int message) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = value(message, i);
}

bool holds(std::span<const std::byte> bytes, int message) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != value(message, i)) return false;
  return true;
}

/// Sizes of the messages that a test sends: words up to whole buffers.
std::vector<std::size_t> sizes() {
  return {64, 64 * 1024, 1024, 1088, 64 * 1023, 128, 65536, 4096, 64};
}

void send_all(Producer& producer, Time pause) {
  int message = 0;
  for (const std::size_t size : sizes()) {
    auto buffer = producer.link.acquire();
    buffer.shrink(size);
    fill(buffer.span(), message++);
    producer.timer.wait(pause);
    producer.link.commit(std::move(buffer));
  }
}

void receive_all(Consumer& consumer, Time pause, int& wrong) {
  int message = 0;
  for (const std::size_t size : sizes()) {
    const auto buffer = consumer.link.receive();
    consumer.timer.wait(pause);
    if (buffer.span().size() != size || !holds(buffer.span(), message)) ++wrong;
    ++message;
  }
}

TEST(HostLink, MessagesArriveWholeAndInOrderHoweverSlowEitherEndIs) {
  for (const Time producer_pause : {Time::ns(1), Time::us(200)})
    for (const Time consumer_pause : {Time::ns(1), Time::us(200)})
      for (const int interval : {1, 40}) {
        int wrong = 0;
        Bench bench{.interval = interval};
        const auto report = bench.run([&](Producer& producer) { send_all(producer, producer_pause); },
                                      [&](Consumer& consumer) { receive_all(consumer, consumer_pause, wrong); });
        EXPECT_EQ(report.outcome, Outcome::finished);
        EXPECT_EQ(wrong, 0);
        EXPECT_THAT(report.warnings, testing::IsEmpty());
      }
}

TEST(HostLink, ASlowConsumerHoldsUpTheProducerAtWhatThePoolsHold) {
  Bench bench;
  Time second_round;
  const int buffers = bench.spec.input_buffers + bench.spec.output_buffers;
  bench.run(
      [&](Producer& producer) {
        // The link holds the two pools, the circuits on the way no more than a buffer of them.
        for (int i = 0; i < buffers + 2; ++i) {
          auto buffer = producer.link.acquire();
          second_round = producer.timer.now();
          producer.link.commit(std::move(buffer));
        }
      },
      [&](Consumer& consumer) {
        consumer.timer.wait(Time::ms(5));
        for (int i = 0; i < buffers + 2; ++i) consumer.link.receive();
      });
  EXPECT_GT(second_round, Time::ms(5));
}

TEST(HostLink, ABufferThatLeavesScopeIsReleased) {
  Bench bench;
  int received = 0;
  bench.run(
      [&](Producer& producer) {
        // More than the pool holds: acquired buffers that are not committed go back.
        for (int i = 0; i < 4 * bench.spec.input_buffers; ++i) producer.link.acquire();
        for (int i = 0; i < 4 * bench.spec.output_buffers; ++i) producer.link.commit(producer.link.acquire());
      },
      [&](Consumer& consumer) {
        for (; received < 4 * bench.spec.output_buffers; ++received) consumer.link.receive();
      });
  EXPECT_EQ(received, 4 * bench.spec.output_buffers);
}

TEST(HostLink, ControlMessagesComeBackByTheirTags) {
  Bench bench{.controls = 4};
  std::vector<std::uint32_t> answers;
  bench.run(
      [&](Producer& producer) {
        for (const std::uint32_t message : {3U, 4U, 5U, 6U}) producer.control.send(message);
        for (const std::uint32_t tag : {0U, 1U, 1U, 0U}) answers.push_back(producer.control.receive(tag));
      },
      [](Consumer&) {});
  EXPECT_THAT(answers, ElementsAre(8, 6, 10, 12));
}

TEST(HostLink, AControlMessageGoesThereAndBackInAFewMicroseconds) {
  Bench bench{.controls = 1};
  Time answered;
  bench.run(
      [&](Producer& producer) {
        producer.control.send(1);
        producer.control.receive(1);
        answered = producer.timer.now();
      },
      [](Consumer&) {});
  EXPECT_GT(answered, Time::us(1)) << "a load alone takes a round trip of the link";
  EXPECT_LT(answered, Time::us(5));
}

TEST(HostLink, RefusesToSendPartOfAWord) {
  Bench bench;
  EXPECT_THAT([&] { bench.run([](Producer& producer) { producer.link.acquire().shrink(100); }, [](Consumer&) {}); },
              ThrowsMessage<Error>(HasSubstr("expected a multiple of 64")));
}

TEST(HostLink, RefusesRequestsLargerThanTheirFieldCanSay) {
  Bench bench;
  bench.spec.requests.size = 16 * 1024;
  EXPECT_THAT([&] { bench.run([](Producer&) {}, [](Consumer&) {}); },
              ThrowsMessage<Error>(HasSubstr("stream.request_size")));
}

/// GB/s of payload in each direction at once, with requests of `size` bytes.
double rate_with_requests(std::int64_t size) {
  Bench bench;
  bench.spec.requests = {.size = size, .in_flight = static_cast<int>(16 * 1024 / size), .gap = 4};
  bench.spec.buffer_size = Bytes{1 << 20};
  bench.spec.input_buffers = bench.spec.output_buffers = 4;
  constexpr int kBuffers = 6;
  Time started;
  Time ended;
  bench.run(
      [&](Producer& producer) {
        started = producer.timer.now();
        for (int i = 0; i < kBuffers; ++i) producer.link.commit(producer.link.acquire());
      },
      [&](Consumer& consumer) {
        for (int i = 0; i < kBuffers; ++i) consumer.link.receive();
        ended = consumer.timer.now();
      });
  return static_cast<double>(kBuffers * bench.spec.buffer_size.count) / (ended - started).seconds() * 1e-9;
}

TEST(HostLink, BandwidthGrowsWithTheRequestUpTo1024BytesAndNoFurther) {
  double before = 0;
  for (const std::int64_t size : {64, 128, 256, 512, 1024}) {
    const double rate = rate_with_requests(size);
    EXPECT_GT(rate, 1.05 * before) << size << " bytes: stacc fig. 7 still rises";
    before = rate;
  }
  for (const std::int64_t size : {2048, 4096}) EXPECT_NEAR(rate_with_requests(size), before, 0.05 * before) << size;
}

}  // namespace
}  // namespace isthmus
