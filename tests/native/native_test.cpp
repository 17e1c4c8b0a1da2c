// The native back end: closing, errors, mapping, and waiting in real time.
#include "isthmus/stream/native.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr int kCount = 20'000;

struct Source {
  Out<int> out;
  int count = kCount;
  int next = 0;
  void step() { out.push(next++); }
  bool done() const { return next == count; }
};

struct Sink {
  In<int> in;
  std::vector<int> got;
  void step() { got.push_back(in.read()); }
};

std::vector<int> upto(int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

/// A source and a sink at `depth`.
struct Pair {
  Graph graph;
  Source& source = graph.add<Source>("source");
  Sink& sink = graph.add<Sink>("sink");
  explicit Pair(int depth = 16) {
    graph.connect(source.out, sink.in,
                  {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
  }
};

constexpr ChannelOptions wire(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

class WithWorkers : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Native, WithWorkers, testing::Values(1, 2, 3));

TEST_P(WithWorkers, EveryTokenArrivesInOrderAtEveryDepth) {
  for (const int depth : {1, 2, 3, 16, 64}) {
    Pair pair(depth);
    const auto report = native::run(pair.graph, {.workers = GetParam()});
    EXPECT_EQ(pair.sink.got, upto(kCount)) << "depth " << depth;
    EXPECT_EQ(report.channels.front().pushed, kCount);
    EXPECT_EQ(report.channels.front().popped, kCount);
  }
}

/// Asks without waiting, and notes what it was told after the close.
struct Asker {
  In<int> in;
  std::vector<int> got;
  bool pulled_after_close = true;
  bool over = false;
  void step() {
    int token = 0;
    if (in.pull(token)) got.push_back(token);
    if (!in.closed()) return;
    pulled_after_close = in.pull(token);
    over = true;
  }
  bool done() const { return over; }
};

TEST_P(WithWorkers, APullAfterTheCloseFindsNothingAndNothingWasLost) {
  Graph graph;
  auto& source = graph.add<Source>("source");
  auto& asker = graph.add<Asker>("asker");
  graph.connect(source.out, asker.in, wire(4));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(asker.got, upto(kCount));
  EXPECT_FALSE(asker.pulled_after_close);
}

struct Thrower {
  In<int> in;
  int after = 100;
  void step() {
    in.read();
    if (--after == 0) throw std::runtime_error("the consumer died");
  }
};

/// Notes that its step was unwound.
struct Guarded {
  Out<int> out;
  int* unwound = nullptr;
  struct Guard {
    int* count;
    ~Guard() { ++*count; }
  };
  void step() {
    const Guard guard{unwound};
    for (;;) out.push(1);
  }
  bool done() const { return false; }
};

TEST_P(WithWorkers, AConsumerThatThrowsEndsTheRunAndUnwindsItsProducer) {
  Graph graph;
  int unwound = 0;
  auto& producer = graph.add<Guarded>("producer");
  producer.unwound = &unwound;
  auto& consumer = graph.add<Thrower>("consumer");
  graph.connect(producer.out, consumer.in, wire(8));
  EXPECT_THAT([&] { native::run(graph, {.workers = GetParam()}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("consumer"), HasSubstr("the consumer died"))));
  EXPECT_EQ(unwound, 1);
}

struct Quitter {
  In<int> in;
  int left = 10;
  void step() {
    in.read();
    --left;
  }
  bool done() const { return left == 0; }
};

TEST_P(WithWorkers, AProducerWhoseConsumerHasFinishedGetsAnError) {
  Graph graph;
  auto& source = graph.add<Source>("source");
  auto& quitter = graph.add<Quitter>("quitter");
  graph.connect(source.out, quitter.in, wire(8));
  const auto report = native::run(graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::stuck);
  EXPECT_THAT(report.message, AllOf(HasSubstr("source"), HasSubstr("quitter has finished")));
  EXPECT_EQ(report.channels.front().popped, 10);
  EXPECT_EQ(report.channels.front().pushed, 18);
}

struct Exchange {
  In<int> in;
  Out<int> out;
  void step() {
    const int token = in.read();
    out.push(token);
  }
  bool done() const { return false; }
};

TEST_P(WithWorkers, ActorsThatWaitForEachOtherAreNamed) {
  Graph graph;
  auto& a = graph.add<Exchange>("a");
  auto& b = graph.add<Exchange>("b");
  graph.connect(a.out, b.in, wire(2));
  graph.connect(b.out, a.in, wire(2));
  EXPECT_THAT([&] { native::run(graph, {.workers = GetParam()}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("deadlock"), HasSubstr("a waits for a token of 'b.out -> a.in'"))));
}

struct Mute {
  Out<int> out;
  In<int> in;
  void step() { in.pull(); }
  bool done() const { return false; }
};

TEST_P(WithWorkers, ARunInWhichNothingCanEverMoveAgainEnds) {
  Graph graph;
  auto& a = graph.add<Mute>("a");
  auto& b = graph.add<Mute>("b");
  graph.connect(a.out, b.in, wire(2));
  graph.connect(b.out, a.in, wire(2));
  const auto report = native::run(graph, {.workers = GetParam(), .throw_on_error = false});
  EXPECT_EQ(report.outcome, Outcome::quiescent);
  EXPECT_THAT(report.message, AllOf(HasSubstr("a waits for news"), HasSubstr("b waits for news")));
}

/// Goes round between two actors, one token at a time: every hop finds the other asleep or spinning.
struct Ping {
  In<int> in;
  Out<int> out;
  int rounds = 3000;
  int sum = 0;
  void step() {
    out.push(rounds);
    sum += in.read();
    --rounds;
  }
  bool done() const { return rounds == 0; }
};
struct Pong {
  In<int> in;
  Out<int> out;
  void step() { out.push(2 * in.read()); }
};

TEST_P(WithWorkers, ATokenThatIsWaitedForIsNeverHeldBack) {
  Graph graph;
  auto& ping = graph.add<Ping>("ping");
  auto& pong = graph.add<Pong>("pong");
  graph.connect(ping.out, pong.in, wire(64));
  graph.connect(pong.out, ping.in, wire(64));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(ping.sum, 2 * 3000 * 3001 / 2);
}

/// Asks for an answer until it is another: the two of them are always ready.
struct Impatient {
  In<int> in;
  Out<int> out;
  int answer = 0;
  void step() {
    out.push(0);
    answer = in.read();
  }
  bool done() const { return answer != 0; }
};
struct Answering {
  In<int> in;
  Out<int> out;
  In<int> news;
  int answer = 0;
  void step() {
    in.read();
    news.pull(answer);
    out.push(answer);
  }
  bool done() const { return answer != 0; }
};
struct Late {
  Out<int> out;
  bool said = false;
  void step() {
    out.push(7);
    said = true;
  }
  bool done() const { return said; }
};

TEST_P(WithWorkers, TwoActorsThatServeEachOtherDoNotKeepAThirdWaiting) {
  Graph graph;
  auto& impatient = graph.add<Impatient>("impatient");
  auto& answering = graph.add<Answering>("answering");
  auto& late = graph.add<Late>("late");
  graph.connect(impatient.out, answering.in, wire(1));
  graph.connect(answering.out, impatient.in, wire(1));
  graph.connect(late.out, answering.news, wire(1));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(impatient.answer, 7);
}

/// Gives out a slot in each step and is then a long time at other work, which ends when the reader says so.
struct Slots {
  Out<int> out;
  In<int> back;
  int next = 0;
  void step() {
    out.slot() = next++;
    back.read();
  }
  bool done() const { return next == 1000; }
};

TEST_P(WithWorkers, AFilledSlotIsPublishedBeforeItsActorWaits) {
  Graph graph;
  auto& slots = graph.add<Slots>("slots");
  auto& echo = graph.add<Pong>("echo");
  graph.connect(slots.out, echo.in, wire(4));
  graph.connect(echo.out, slots.back, wire(4));
  const auto report = native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(report.outcome, Outcome::finished);
  EXPECT_EQ(slots.next, 1000);
}

struct Ticker {
  Out<Time> out;
  Timer timer;
  int left = 5;
  void step() {
    const Time asked = timer.now() + Time::us(200);
    timer.wait(Time::us(200));
    out.push(timer.now() - asked);
    --left;
  }
  bool done() const { return left == 0; }
};
struct Times {
  In<Time> in;
  std::vector<Time> got;
  void step() { got.push_back(in.read()); }
};

TEST_P(WithWorkers, AWaitLastsAtLeastAsLongAsWasAsked) {
  Graph graph;
  auto& ticker = graph.add<Ticker>("ticker");
  auto& times = graph.add<Times>("times");
  graph.connect(ticker.out, times.in, wire(2));
  native::run(graph, {.workers = GetParam()});
  ASSERT_THAT(times.got, SizeIs(5));
  for (const Time late : times.got) EXPECT_GE(late, Time());
}

/// Counts its own silent steps: a change of state that no channel shows.
struct Patient {
  In<int> in;
  Out<int> out;
  int steps = 0;
  void step() {
    if (in.pull() || ++steps != 1000) return;
    out.push(steps);
  }
  bool done() const { return steps == 1000; }
};

TEST_P(WithWorkers, AnActorThatCountsItsStepsIsNotPutToSleep) {
  Graph graph;
  auto& patient = graph.add<Patient>("patient", {.clock = Clock{Frequency::mhz(100)}});
  auto& pong = graph.add<Pong>("pong", {.clock = Clock{Frequency::mhz(100)}});
  graph.connect(patient.out, pong.in);
  graph.connect(pong.out, patient.in);
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(patient.steps, 1000);
}

struct Beat {
  static constexpr bool periodic = true;
  Out<int> out;
  void step() { out.push(1); }
};

TEST_P(WithWorkers, PeriodicActorsEndWithTheOthers) {
  Graph graph;
  auto& beat = graph.add<Beat>("beat");
  auto& quitter = graph.add<Quitter>("quitter");
  graph.connect(beat.out, quitter.in, wire(4));
  const auto report = native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(report.outcome, Outcome::finished);
  EXPECT_EQ(report.channels.front().popped, 10);
}

TEST(NativeMapping, CutsAChainIntoStretchesAndFollowsAPlacement) {
  const auto chain = [](const native::Options& options) {
    Graph graph;
    auto& sink = graph.add<Sink>("sink");
    auto& second = graph.add<Pong>("second");
    auto& first = graph.add<Pong>("first");
    auto& source = graph.add<Source>("source");
    source.count = 100;
    graph.connect(source.out, first.in, wire(4));
    graph.connect(first.out, second.in, wire(4));
    graph.connect(second.out, sink.in, wire(4));
    return native::run(graph, options).workers;
  };
  const auto cut = chain({.workers = 2, .pin = false});
  ASSERT_THAT(cut, SizeIs(2));
  EXPECT_THAT(cut[0].actors, testing::UnorderedElementsAre("source", "first"));
  EXPECT_THAT(cut[1].actors, testing::UnorderedElementsAre("second", "sink"));
  EXPECT_EQ(native::to_string(cut), "worker 0: first, source; worker 1: sink, second");
  const auto given = chain({.workers = 2, .placement = {{"sink", 0}}, .pin = false});
  EXPECT_THAT(given[0].actors, testing::Contains("sink"));
  EXPECT_THAT(chain({.workers = 64}), SizeIs(4)) << "no more workers than actors";
  EXPECT_THAT(chain({}), SizeIs(std::min(4, native::cores())));
  EXPECT_THAT(
      [&] {
        chain({.workers = 2, .placement = {{"sinc", 0}}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("sinc"), HasSubstr("sink"))));
  EXPECT_THAT(
      [&] {
        chain({.workers = 2, .placement = {{"sink", 2}}});
      },
      ThrowsMessage<Error>(HasSubstr("expected 0..1")));
}

TEST(NativeRun, RefusesWhatTheModelRefuses) {
  Graph graph;
  graph.add<Sink>("sink");
  EXPECT_THAT([&] { native::run(graph); }, ThrowsMessage<Error>(HasSubstr("sink.in is not connected")));
  Pair pair;
  native::run(pair.graph);
  EXPECT_THAT([&] { native::run(pair.graph); }, ThrowsMessage<Error>(HasSubstr("runs once")));
  EXPECT_THAT([&] { pair.graph.run(); }, ThrowsMessage<Error>(HasSubstr("runs once")));
}

TEST(NativeRun, OneProgramRunsOneTypeOnBothBackEnds) {
  Pair on_model;
  Pair on_threads;
  on_model.graph.run();
  native::run(on_threads.graph);
  EXPECT_EQ(on_model.sink.got, on_threads.sink.got);
}

/// Hands on what it reads in place, however long the way out is blocked.
struct InPlace {
  In<int> in;
  Out<int> out;
  void step() {
    const int& token = in.read_in_place();
    out.slot() = 0;  // waits, while others run
    out.push(token);
  }
};

TEST_P(WithWorkers, ATokenReadInPlaceStaysWhileItsActorWaits) {
  for (const int depth : {1, 2, 5}) {
    Graph graph;
    auto& source = graph.add<Source>("source");
    auto& in_place = graph.add<InPlace>("in place");
    auto& sink = graph.add<Sink>("sink");
    source.count = 500;
    graph.connect(source.out, in_place.in, wire(depth));
    graph.connect(in_place.out, sink.in, wire(1));
    native::run(graph, {.workers = GetParam()});
    ASSERT_THAT(sink.got, SizeIs(1000));
    for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(sink.got[i], i % 2 == 0 ? 0 : static_cast<int>(i / 2));
  }
}

/// Four kilobytes.
struct Page {
  std::array<std::uint64_t, 512> words;
};
struct Pages {
  Out<Page> out;
  std::uint64_t next = 0;
  void step() {
    Page& page = out.slot();
    for (std::uint64_t& word : page.words) word = next;
    ++next;
  }
  bool done() const { return next == 500; }
};
struct Reader {
  In<Page> in;
  std::uint64_t sum = 0;
  const Page* first = nullptr;
  void step() {
    const Page* page = in.front();
    if (page == nullptr) return;
    for (const std::uint64_t word : page->words) sum += word;
    in.pull();
  }
};

TEST_P(WithWorkers, LargeTokensAreBuiltAndReadInPlace) {
  Graph graph;
  auto& pages = graph.add<Pages>("pages");
  auto& reader = graph.add<Reader>("reader");
  graph.connect(pages.out, reader.in, wire(3));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(reader.sum, 512U * 500 * 499 / 2);
}

}  // namespace
}  // namespace isthmus
