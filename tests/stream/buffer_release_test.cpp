// A buffer that leaves scope at the moment at which the run ends, however it ends and wherever it runs: nothing waits
// in a destructor, nobody's memory stays lent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/plain_actors.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/native.hpp"
#include "isthmus/stream/host_buffers.hpp"
#include "isthmus/stream/host_port.hpp"

namespace isthmus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ChannelOptions kWire = wire(4);
constexpr Time kCall = Time::ms(2);  // of the library: the release would take as long

PooledBuffer pooled(PinnedMemory& memory) {
  const auto region = memory.allocate(Bytes{4096});
  const auto bytes = static_cast<std::uint32_t>(region.bytes.size());
  return {.addr = region.addr, .capacity = bytes, .bytes = bytes, .data = region.bytes.data()};
}

/// Hands out buffers, then does nothing until it may finish.
struct Giver {
  std::vector<PooledBuffer> buffers;
  bool finishes;
  Out<PooledBuffer> filled{"filled"};
  void step() {
    for (const auto& buffer : buffers) filled.push(buffer);
    buffers.clear();
  }
  bool done() const { return finishes && buffers.empty(); }
};

/// Says that it holds a buffer, then lets go of it.
struct Holder {
  HostOutput link;
  Out<int> holds{"holds"};
  explicit Holder(PinnedMemory& memory) : link(memory, kCall) {}
  void step() {
    const Buffer buffer = link.receive();
    holds.push(1);
  }
};
struct PeriodicHolder : Holder {
  static constexpr bool periodic = true;
  using Holder::Holder;
};
/// Waits for a second buffer while it holds the first.
struct Greedy : Holder {
  using Holder::Holder;
  void step() {
    const Buffer first = link.receive();
    holds.push(1);
    const Buffer second = link.receive();
  }
};

template <bool Periodic>
struct Taker {
  static constexpr bool periodic = Periodic;
  In<PooledBuffer> released{"released"};
  int* taken;
  void step() {
    released.read();
    ++*taken;
  }
};

/// Ends the run once it is told that a buffer is held.
struct Ender {
  std::function<void(Ender&)> end;
  In<int> held{"held"};
  In<int> from_partner{"from_partner"};
  In<int> from_mute{"from_mute"};
  Out<int> to_partner{"to_partner"};
  Out<int> to_finished{"to_finished"};
  bool over = false;
  void step() {
    held.read();
    end(*this);
    over = true;
  }
  bool done() const { return over; }
};
/// Might speak, as far as anyone knows, but never does.
struct Mute {
  Out<int> out{"out"};
  bool gone;
  explicit Mute(bool is_gone) : gone(is_gone) {}
  void step() {}
  bool done() const { return gone; }
};
struct Finished {
  In<int> in{"in"};
  void step() { in.read(); }
  bool done() const { return true; }
};

struct Case {
  const char* name;
  Outcome outcome;
  std::function<void(Ender&)> end = [](Ender&) {};
  bool periodic = false;
  bool greedy = false;
  Time limit = Time::max();
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

void push_for_ever(Ender& ender) {
  for (;;) ender.to_finished.push(1);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {.name = "finished", .outcome = Outcome::finished, .periodic = true},
      {.name = "limit", .outcome = Outcome::limit, .limit = Time::ms(3)},
      {.name = "deadlock", .outcome = Outcome::deadlock, .end = [](Ender& ender) { ender.from_partner.read(); }},
      {.name = "quiescent",
       .outcome = Outcome::quiescent,
       .end = [](Ender& ender) { ender.from_mute.read(); },
       .greedy = true},
      {.name = "stuck", .outcome = Outcome::stuck, .end = push_for_ever},
      {.name = "exception", .outcome = Outcome::failed, .end = [](Ender&) { throw std::runtime_error("it died"); }},
      {.name = "interrupt", .outcome = Outcome::failed, .end = [](Ender&) { throw Interrupted(); }},
  };
  return all;
}

/// The graph of a case; its buffers are held when the run ends.
struct Bench {
  PinnedMemory memory;
  int taken = 0;
  Graph graph;
  Out<int>* held = nullptr;  ///< to be connected to `ender`, straight or by way of a thread
  Ender* ender = nullptr;

  explicit Bench(const Case& of) {
    if (of.greedy)
      add_holder<Greedy>(of);
    else if (of.periodic)
      add_holder<PeriodicHolder>(of);
    else
      add_holder<Holder>(of);
    ender = &graph.add<Ender>("ender", {}, of.end);
    auto& partner = graph.add<Relay<int>>("partner");
    auto& finished = graph.add<Finished>("finished");
    auto& mute = graph.add<Mute>("mute", {}, of.outcome != Outcome::quiescent);
    graph.connect(mute.out, ender->from_mute, kWire);
    graph.connect(ender->to_partner, partner.in, kWire);
    graph.connect(partner.out, ender->from_partner, kWire);
    graph.connect(ender->to_finished, finished.in, kWire);
  }

 private:
  template <class H>
  void add_holder(const Case& of) {
    auto& giver = graph.add<Giver>("giver", {}, std::vector{pooled(memory)}, of.periodic);
    auto& holder = graph.add<H>("holder", {}, memory);
    graph.connect(giver.filled, holder.link.filled, kWire);
    if (of.outcome == Outcome::quiescent)  // which no run is beside a periodic actor
      add_taker<false>(holder);
    else
      add_taker<true>(holder);
    held = &holder.holds;
  }
  template <bool Periodic>
  void add_taker(Holder& holder) {
    auto& taker = graph.add<Taker<Periodic>>("taker");
    taker.taken = &taken;
    graph.connect(holder.link.released, taker.released, kWire);
  }
};

class BufferRelease : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Ends, BufferRelease, testing::ValuesIn(cases()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(BufferRelease, OnTheModel) {
  Bench bench(GetParam());
  bench.graph.connect(*bench.held, bench.ender->held, kWire);
  const auto report = bench.graph.run({.limit = GetParam().limit, .throw_on_error = false});
  EXPECT_EQ(report.outcome, GetParam().outcome) << report.message;
  EXPECT_EQ(bench.memory.lent(), 0U);
}

TEST_P(BufferRelease, OnTheModelWhereARealThreadEndsIt) {
  if (GetParam().outcome == Outcome::quiescent) GTEST_SKIP() << "a real thread may always send";
  Bench bench(GetParam());
  HostCalls<int, int> calls;
  auto& port = bench.graph.add<HostPort<int, int>>("host", {}, calls);
  bench.graph.connect(*bench.held, port.in, kWire);
  bench.graph.connect(port.out, bench.ender->held, kWire);
  std::string told;
  std::thread host([&, mine = std::move(calls)]() mutable {
    try {
      while (const auto token = mine.receive()) mine.send(*token);
    } catch (const Error& error) {
      told = error.what();
    }
  });
  const auto report = bench.graph.run({.limit = GetParam().limit, .throw_on_error = false});
  host.join();
  EXPECT_EQ(report.outcome, GetParam().outcome) << report.message;
  const bool closed = GetParam().outcome == Outcome::finished;  // then there is just nothing more to receive
  EXPECT_EQ(told, closed ? "" : "host port: the model has ended");
  EXPECT_EQ(bench.memory.lent(), 0U);
}

TEST_P(BufferRelease, OnThreads) {
  if (GetParam().outcome == Outcome::limit) GTEST_SKIP() << "real time has no limit";
  for (const int workers : {1, 2}) {
    Bench bench(GetParam());
    bench.graph.connect(*bench.held, bench.ender->held, kWire);
    const auto report = native::run(bench.graph, {.workers = workers, .throw_on_error = false});
    EXPECT_EQ(report.outcome, GetParam().outcome) << report.message;
    EXPECT_EQ(bench.memory.lent(), 0U);
  }
}

/// Notes when each buffer was received and when it had been let go.
struct Clerk {
  HostOutput link;
  Timer timer;
  std::vector<Time>* times;
  int left;
  Clerk(PinnedMemory& memory, std::vector<Time>& place, int buffers)
      : link(memory, Time::us(1)), times(&place), left(buffers) {}
  void step() {
    {
      const Buffer buffer = link.receive();
      times->push_back(timer.now());
    }
    times->push_back(timer.now());
    --left;
  }
  bool done() const { return left == 0; }
};

TEST(BufferRelease, TakesNoTimeAndIsChargedAtTheNextCall) {
  PinnedMemory memory;
  std::vector<Time> times;
  int taken = 0;
  Graph graph;
  auto& giver = graph.add<Giver>("giver", {}, std::vector{pooled(memory), pooled(memory), pooled(memory)}, true);
  auto& clerk = graph.add<Clerk>("clerk", {}, memory, times, 3);
  auto& taker = graph.add<Taker<true>>("taker");
  taker.taken = &taken;
  graph.connect(giver.filled, clerk.link.filled, kWire);
  graph.connect(clerk.link.released, taker.released, kWire);
  const auto report = graph.run();
  EXPECT_THAT(times, ElementsAre(Time::us(1), Time::us(1), Time::us(3), Time::us(3), Time::us(5), Time::us(5)));
  const auto released =
      std::ranges::find(report.channels, std::string("clerk.released -> taker.released"), &ChannelReport::name);
  ASSERT_NE(released, report.channels.end());
  EXPECT_EQ(released->pushed, 3U);
  EXPECT_EQ(taken, 2) << "the third arrives a nanosecond after the end";
}

}  // namespace
}  // namespace isthmus
