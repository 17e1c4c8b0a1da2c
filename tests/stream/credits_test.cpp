// Credits of the host link (stacc IV-D): whatever either end stalls, whatever goes wrong on the link, and however few
// buffers there are, nothing is lost, doubled or reordered, each entry of a pool is at one place at every instant, and
// at the end all of both pools is there again; over PCIe and on threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/plain_actors.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/native.hpp"
#include "isthmus/native/link.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus {
namespace {

constexpr std::int64_t kBuffer = 1024;

/// What is drawn of a run.
struct Draw {
  int inputs;
  int outputs;
  std::vector<std::size_t> words;  ///< of each message, which may take several buffers
  bool cut;                        ///< the stream ends in the middle of the last message, at the end of a buffer
  std::uint64_t seed;
  int stalls;                   ///< one step of so many stalls at each end, and at the kernel; 0: none
  Time longest = Time::us(40);  ///< stall
};

Draw draw() {
  // Small pools and the largest alike.
  const auto pool = rc::gen::oneOf(rc::gen::inRange(1, 4), rc::gen::inRange(1, 65), rc::gen::just(64));
  Draw drawn{.inputs = *pool,
             .outputs = *pool,
             .words = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(
                 rc::gen::oneOf(rc::gen::inRange<std::size_t>(1, 17), rc::gen::inRange<std::size_t>(1, 41)))),
             .cut = *rc::gen::arbitrary<bool>(),
             .seed = *rc::gen::arbitrary<std::uint64_t>(),
             .stalls = *rc::gen::inRange(0, 4)};
  constexpr std::size_t kWordsOfBuffer = kBuffer / kWordBytes;
  if (drawn.cut) drawn.words.back() = *rc::gen::inRange<std::size_t>(1, 4) * kWordsOfBuffer;
  return drawn;
}

/// Stalls a thread now and then.
class Stalls {
 public:
  Stalls(std::uint64_t seed, int one_in, Time longest)
      : random_(seed),
        one_in_(static_cast<std::uint64_t>(one_in)),
        longest_(static_cast<std::uint64_t>(longest.femtoseconds())) {}
  void maybe(Timer& timer) {
    if (one_in_ == 0 || random_() % one_in_ != 0) return;
    timer.wait_until(timer.now() + Time::fs(static_cast<std::int64_t>(random_() % longest_)));
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t one_in_;
  std::uint64_t longest_;
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
      : link(memory, Time()), drawn(what), stalls(what.seed, what.stalls, what.longest) {}
  void step() {
    std::uint64_t number = 0;
    for (std::size_t message = 0; message < drawn.words.size(); ++message) {
      const bool cut = drawn.cut && message + 1 == drawn.words.size();
      for (std::size_t left = drawn.words[message]; left > 0;) {
        const std::size_t words = std::min<std::size_t>(left, kBuffer / kWordBytes);
        left -= words;
        send(words, left > 0 || cut, number);
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
      : link(memory, Time()), drawn(what), stalls(~what.seed, what.stalls, what.longest) {}
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
  Timer timer;
  Stalls stalls;
  explicit Echo(const Draw& what) : stalls(what.seed + 1, what.stalls * 16, what.longest) {}
  void step() {
    const StreamWord word = in.read();
    stalls.maybe(timer);
    out.push(word);
  }
  bool done() const { return false; }
};

void expect_all(const Draw& drawn, const Producer& producer, const Consumer& consumer) {
  std::size_t words = 0;
  for (const std::size_t each : drawn.words) words += each;
  RC_ASSERT(consumer.numbers.size() == words);
  for (std::size_t i = 0; i < words; ++i) RC_ASSERT(consumer.numbers[i] == i);
  RC_ASSERT(consumer.lengths == drawn.words);
  RC_ASSERT(producer.pool.size() == static_cast<std::size_t>(drawn.inputs));  // each buffer once
  RC_ASSERT(consumer.pool.size() <= static_cast<std::size_t>(drawn.outputs));
}

/// What moved in the channels of a run.
struct Moves final : engine::ChannelObserver {
  struct Move {
    Time at;
    std::size_t channel;
    bool push;
  };
  std::vector<Move> moves;
  void pushed(int channel, Time at) override { moves.push_back({at, static_cast<std::size_t>(channel), true}); }
  void popped(int channel, Time at) override { moves.push_back({at, static_cast<std::size_t>(channel), false}); }
};

/// The queues of a pool in the order in which an entry passes them. Between two of them it is with who takes it out of
/// the one and puts it into the next. All begin with who puts them into the first.
constexpr std::array<const char*, 5> kInputs{
    "porter thread.free -> producer.free", "producer.committed -> porter thread.committed",
    "device registers.available_inputs -> input splitter.available", "input splitter.order -> reply buffer.order",
    "reply buffer.freed -> device registers.freed_inputs"};
constexpr std::array<const char*, 4> kOutputs{
    "device registers.free_outputs -> write requests.free", "write tracker.filled -> device registers.filled_outputs",
    "porter thread.filled -> consumer.filled", "consumer.released -> porter thread.released"};

/// Entries in a pool's first queue, and with who takes them out of it.
struct AtRest {
  int queued;
  int held;
};

/// The place of each entry of a pool.
class Places {
 public:
  Places(std::span<const char* const> round, int entries) : round_(round), queued_(round.size()), held_(round.size()) {
    held_.back() = entries;
  }
  void move(std::size_t queue, bool push) {
    queued_[queue] += push ? 1 : -1;
    int& holder = push ? held_[(queue + round_.size() - 1) % round_.size()] : held_[queue];
    holder += push ? -1 : 1;
  }
  /// No queue and nobody has fewer than none, no queue more than there are.
  void expect_possible(int entries) const {
    for (std::size_t each = 0; each < round_.size(); ++each) {
      RC_ASSERT(queued_[each] >= 0);
      RC_ASSERT(held_[each] >= 0);
    }
    RC_ASSERT(std::accumulate(queued_.begin(), queued_.end(), std::accumulate(held_.begin(), held_.end(), 0)) ==
              entries);
  }
  void expect_at(const AtRest& rest) const {
    for (std::size_t each = 0; each < round_.size(); ++each) {
      RC_ASSERT(queued_[each] == (each == 0 ? rest.queued : 0));
      RC_ASSERT(held_[each] == (each == 0 ? rest.held : 0));
    }
  }

 private:
  std::span<const char* const> round_;
  std::vector<int> queued_;
  std::vector<int> held_;  ///< by who takes them out of the queue
};

/// The entries of a pool, followed move by move from instant to instant, are where they can be, all of them, and rest
/// where they should.
void expect_constant(std::span<const char* const> round, int entries, const AtRest& rest, const RunReport& report,
                     std::vector<Moves::Move> moves) {
  std::vector<std::size_t> queue_of(report.channels.size(), round.size());
  for (std::size_t queue = 0; queue < round.size(); ++queue) {
    const auto found = std::ranges::find(report.channels, round[queue], &ChannelReport::name);
    RC_ASSERT(found != report.channels.end());
    queue_of[static_cast<std::size_t>(found->index)] = queue;
  }
  std::erase_if(moves, [&](const Moves::Move& move) { return queue_of[move.channel] == round.size(); });
  std::ranges::stable_sort(moves, {}, &Moves::Move::at);
  Places places(round, entries);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    places.move(queue_of[moves[i].channel], moves[i].push);
    if (i + 1 == moves.size() || moves[i + 1].at != moves[i].at) places.expect_possible(entries);
  }
  places.expect_at(rest);
}

void run_over_pcie(const Draw& drawn, const fabric::PcieLinkSpec& link_spec = {}) {
  const HostLinkSpec spec{.requests = {.size = 256, .in_flight = 4},
                          .buffer_size = Bytes{kBuffer},
                          .input_buffers = drawn.inputs,
                          .output_buffers = drawn.outputs,
                          .porter_period = Time::us(3)};
  Graph graph(drawn.seed);
  Moves moves;
  graph.observe(&moves);
  fabric::PcieLink pcie = fabric::add_pcie_link(graph, link_spec, {Bandwidth::gb_per_second(68)});
  HostLink link(graph, pcie, spec);
  auto& producer = graph.add<Producer>("producer", {}, pcie.memory, drawn);
  auto& consumer = graph.add<Consumer>("consumer", {}, pcie.memory, drawn);
  auto& echo = graph.add<Echo>("echo", {.clock = spec.device_clock}, drawn);
  link.connect(producer.link);
  link.connect(consumer.link);
  link.leave_out_control();
  graph.connect(link.to_kernel(), echo.in, {.depth = 16});
  graph.connect(echo.out, link.from_kernel(), {.depth = 16});
  const RunReport report = graph.run({.schedule_seed = drawn.seed});
  expect_all(drawn, producer, consumer);
  // In the end the producer has taken all inputs, and all outputs are with the FPGA.
  expect_constant(kInputs, drawn.inputs, {.queued = 0, .held = drawn.inputs}, report, moves.moves);
  expect_constant(kOutputs, drawn.outputs, {.queued = drawn.outputs, .held = 0}, report, moves.moves);
}

void run_on_threads(const Draw& drawn) {
  Graph graph;
  native::Link link(graph,
                    {.buffer_size = Bytes{kBuffer}, .input_buffers = drawn.inputs, .output_buffers = drawn.outputs});
  auto& producer = graph.add<Producer>("producer", {}, link.memory(), drawn);
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory(), drawn);
  auto& echo = graph.add<Echo>("echo", {.clock = Clock{Frequency::mhz(1)}}, drawn);
  link.connect(producer.link);
  link.connect(consumer.link);
  graph.connect(link.to_kernel(), echo.in, wire(16));
  graph.connect(echo.out, link.from_kernel(), wire(16));
  native::run(graph);
  expect_all(drawn, producer, consumer);
}

RC_GTEST_PROP(Credits, NothingIsLostDoubledOrReorderedAndThePoolsAreWholeAtEveryInstantWhoeverStalls, ()) {
  run_over_pcie(draw());
}

// A store to a register that came twice would make an entry, one that got lost would take one away.
RC_GTEST_PROP(Credits, TheSameHoldsOverALinkThatMakesErrors, ()) {
  const auto probability = rc::gen::map(rc::gen::inRange(0, 20), [](int percent) { return percent / 100.0; });
  fabric::PcieLinkSpec spec;
  spec.faults = {.drop = *probability, .duplicate = *probability, .corrupt = *probability};
  run_over_pcie(draw(), spec);
}

RC_GTEST_PROP(Credits, TheSameHoldsOnThreads, ()) {
  Draw drawn = draw();
  drawn.longest = Time::us(2);  // which pass in real time
  drawn.stalls *= 4;
  run_on_threads(drawn);
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
