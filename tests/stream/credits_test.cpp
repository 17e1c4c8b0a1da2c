// Credits of the host link (stacc IV-D): whatever either end stalls and however few buffers there are, nothing is lost,
// doubled or reordered, and at the end all of both pools is there again; over PCIe and on threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/stream/host_link.hpp"
#include "isthmus/stream/native.hpp"
#include "isthmus/stream/native_link.hpp"

namespace isthmus {
namespace {

constexpr std::int64_t kBuffer = 1024;

/// What is drawn of a run.
struct Draw {
  int inputs;
  int outputs;
  std::vector<std::size_t> words;  ///< of each message, which may take several buffers
  std::uint64_t seed;
  int stalls;  ///< one step of so many stalls at each end; 0: none
};

Draw draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pool = [&random] { return static_cast<int>(random() % 2 == 0 ? random() % 3 + 1 : random() % 64 + 1); };
  Draw drawn{.inputs = pool(), .outputs = pool(), .words = {}, .seed = random(), .stalls = 0};
  drawn.stalls = static_cast<int>(random() % 4);
  drawn.words.resize(random() % 60 + 1);
  for (auto& words : drawn.words) words = random() % 3 == 0 ? random() % 40 + 1 : random() % 16 + 1;
  return drawn;
}

/// Stalls a thread now and then.
class Stalls {
 public:
  Stalls(std::uint64_t seed, int one_in) : random_(seed), one_in_(static_cast<std::uint64_t>(one_in)) {}
  void maybe(Timer& timer) {
    if (one_in_ > 0 && random_() % one_in_ == 0) timer.wait(Time::us(static_cast<std::int64_t>(random_() % 40)));
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t one_in_;
};

/// Sends all messages, word by word numbered, and then takes the whole pool.
struct Producer {
  HostInput link;
  Timer timer;
  const Draw& drawn;
  Stalls stalls;
  std::set<std::byte*> pool{};
  bool over = false;

  Producer(PinnedMemory& memory, const Draw& what)
      : link(memory, Time()), drawn(what), stalls(what.seed, what.stalls) {}
  void step() {
    std::uint64_t number = 0;
    for (std::size_t left : drawn.words) {
      while (left > 0) {
        const std::size_t words = std::min<std::size_t>(left, kBuffer / kWordBytes);
        left -= words;
        send(words, left > 0, number);
      }
    }
    take_all();
    over = true;
  }
  bool done() const { return over; }

 private:
  void send(std::size_t words, bool continues, std::uint64_t& number) {
    Buffer buffer = link.acquire();
    stalls.maybe(timer);
    buffer.shrink(words * kWordBytes);
    for (std::size_t i = 0; i < words; ++i, ++number)
      std::memcpy(buffer.span().data() + i * kWordBytes, &number, sizeof(number));
    if (continues) buffer.continues();
    link.commit(std::move(buffer));
  }
  /// None comes back while it has them: they are all there are, each once.
  void take_all() {
    std::vector<Buffer> all;
    for (int i = 0; i < drawn.inputs; ++i) {
      all.push_back(link.acquire());
      pool.insert(all.back().span().data());
    }
  }
};

/// Receives all messages, holding some of the buffers for a while.
struct Consumer {
  HostOutput link;
  Timer timer;
  const Draw& drawn;
  Stalls stalls;
  std::vector<std::uint64_t> numbers{};
  std::vector<std::size_t> lengths{};
  std::set<std::byte*> pool{};

  Consumer(PinnedMemory& memory, const Draw& what)
      : link(memory, Time()), drawn(what), stalls(~what.seed, what.stalls) {}
  void step() {
    std::size_t words = 0;
    for (const std::size_t all = drawn.words[lengths.size()]; words < all;) {
      const Buffer buffer = link.receive();
      stalls.maybe(timer);
      pool.insert(buffer.span().data());
      words += buffer.span().size() / kWordBytes;
      for (std::size_t at = 0; at < buffer.span().size(); at += kWordBytes) {
        numbers.emplace_back();
        std::memcpy(&numbers.back(), buffer.span().data() + at, sizeof(std::uint64_t));
      }
    }
    lengths.push_back(words);
  }
  bool done() const { return lengths.size() == drawn.words.size(); }
};

struct Echo {
  In<StreamWord> in{"in"};
  Out<StreamWord> out{"out"};
  void step() { out.push(in.read()); }
};

/// Host software that sends no control messages.
struct NoMessages {
  HostControl control{Time()};
  void step() {}
  bool done() const { return true; }
};

void expect_all(const Draw& drawn, const Producer& producer, const Consumer& consumer) {
  std::size_t words = 0;
  for (const std::size_t each : drawn.words) words += each;
  ASSERT_EQ(consumer.numbers.size(), words);
  for (std::size_t i = 0; i < words; ++i) ASSERT_EQ(consumer.numbers[i], i);
  EXPECT_EQ(consumer.lengths, drawn.words);
  EXPECT_EQ(producer.pool.size(), static_cast<std::size_t>(drawn.inputs)) << "each buffer once";
  EXPECT_LE(consumer.pool.size(), static_cast<std::size_t>(drawn.outputs));
}

void run_over_pcie(const Draw& drawn) {
  const HostLinkSpec spec{.requests = {.size = 256, .in_flight = 4},
                          .buffer_size = Bytes{kBuffer},
                          .input_buffers = drawn.inputs,
                          .output_buffers = drawn.outputs,
                          .porter_period = Time::us(3)};
  Graph graph;
  fabric::PcieLink pcie = fabric::add_pcie_link(graph, {}, {Bandwidth::gb_per_second(68)});
  HostLink link(graph, pcie, spec);
  auto& producer = graph.add<Producer>("producer", {}, pcie.memory, drawn);
  auto& consumer = graph.add<Consumer>("consumer", {}, pcie.memory, drawn);
  auto& echo = graph.add<Echo>("echo", {.clock = spec.device_clock});
  auto& control = graph.add<NoControl>("no control", {.clock = spec.device_clock});
  link.connect(producer.link);
  link.connect(consumer.link);
  link.connect(graph.add<NoMessages>("no messages").control);
  graph.connect(link.to_kernel(), echo.in, {.depth = 16});
  graph.connect(echo.out, link.from_kernel(), {.depth = 16});
  graph.connect(link.control_to_kernel(), control.in);
  graph.connect(control.out, link.control_from_kernel());
  graph.run({.schedule_seed = drawn.seed});
  expect_all(drawn, producer, consumer);
}

void run_on_threads(const Draw& drawn) {
  Graph graph;
  native::Link link(graph,
                    {.buffer_size = Bytes{kBuffer}, .input_buffers = drawn.inputs, .output_buffers = drawn.outputs});
  auto& producer = graph.add<Producer>("producer", {}, link.memory(), drawn);
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory(), drawn);
  auto& echo = graph.add<Echo>("echo", {.clock = Clock{Frequency::mhz(1)}});
  link.connect(producer.link);
  link.connect(consumer.link);
  const ChannelOptions words{.depth = 16, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
  graph.connect(link.to_kernel(), echo.in, words);
  graph.connect(echo.out, link.from_kernel(), words);
  native::run(graph);
  expect_all(drawn, producer, consumer);
}

TEST(Credits, NothingIsLostDoubledOrReorderedAndThePoolIsWholeAgainWhoeverStalls) {
  constexpr std::uint64_t kDraws = 60;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    SCOPED_TRACE(seed);
    run_over_pcie(draw(seed));
  }
}

TEST(Credits, TheSameHoldsOnThreads) {
  constexpr std::uint64_t kDraws = 60;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    SCOPED_TRACE(seed);
    Draw drawn = draw(seed);
    drawn.stalls = 0;  // threads have no virtual time to stall in; the pools are what bounds them
    run_on_threads(drawn);
  }
}

int from_stack(std::deque<int>& entries) {
  const int entry = entries.back();
  entries.pop_back();
  return entry;
}

int from_queue(std::deque<int>& entries) {
  const int entry = entries.front();
  entries.pop_front();
  return entry;
}

/// The buffers in the order in which an FPGA takes them that is one late: whenever it takes one, another has come.
template <class Take>
std::vector<int> order_when_a_buffer_late(int entries, const Take& take) {
  std::vector<int> taken;
  std::deque<int> fpga;
  for (int next = 0; next < entries; ++next) {
    fpga.push_back(next);
    if (next > 0) taken.push_back(take(fpga));
  }
  while (!fpga.empty()) taken.push_back(take(fpga));
  return taken;
}

/// stacc figure 5 keeps entries in stacks.
TEST(Credits, StacksAsInThePaperReorderWhereQueuesDoNot) {
  const std::vector<int> in_order{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(order_when_a_buffer_late(6, from_queue), in_order);
  EXPECT_EQ(order_when_a_buffer_late(6, from_stack), (std::vector{1, 2, 3, 4, 5, 0})) << "the first comes last";
}

}  // namespace
}  // namespace isthmus
