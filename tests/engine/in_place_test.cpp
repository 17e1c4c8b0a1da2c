// Taking a token where it lies moves the same tokens at the same times as taking a copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isthmus/stream.hpp>

#include "engine/plain_actors.hpp"

namespace isthmus {
namespace {

struct Source {
  Out<int> out;
  Timer timer;
  int sent = 0;
  bool slow = false;
  void step() {
    if (slow && sent % 7 == 3) timer.wait_until(timer.now() + Time::ns(20));
    out.push(sent++);
  }
  bool done() const { return sent == 500; }
};

enum class Way : std::uint8_t { read, read_in_place, pull, pull_in_place };

struct Sink {
  In<int> in;
  Out<int> out;
  Timer timer;
  Way way;
  std::vector<std::pair<int, Time>> got;
  bool over = false;

  explicit Sink(Way how) : way(how) {}

  void step() {
    const int* token = take();
    if (token == nullptr) {
      over = in.closed();
      return;
    }
    got.emplace_back(*token, timer.now());
    out.push(*token);  // still there: this port was not accessed again
    EXPECT_EQ(*token, got.back().first);
  }
  bool done() const { return over; }

 private:
  const int* take() {
    switch (way) {
      case Way::read:
        copy_ = in.read();
        return &copy_;
      case Way::read_in_place:
        return &in.read_in_place();
      case Way::pull:
        return in.pull(copy_) ? &copy_ : nullptr;
      case Way::pull_in_place:
        return in.pull_in_place();
    }
    return nullptr;
  }
  int copy_ = 0;
};

std::vector<std::pair<int, Time>> run(Way way, Frequency frequency, bool slow) {
  Graph graph;
  auto& source = graph.add<Source>("source", {.clock = Clock{Frequency::mhz(500)}});
  source.slow = slow;
  auto& sink = graph.add<Sink>("sink", {.clock = Clock{frequency}}, way);
  auto& end = graph.add<Drain<int>>("end", {.clock = Clock{frequency}});
  graph.connect(source.out, sink.in, {.depth = 4});
  graph.connect(sink.out, end.in, {.depth = 2});
  graph.run();
  return sink.got;
}

TEST(InPlace, ReadAndPullMoveWhatTheCopyingOnesMove) {
  for (const std::int64_t mhz : {500, 300})
    for (const bool slow : {false, true}) {
      const auto read = run(Way::read, Frequency::mhz(mhz), slow);
      EXPECT_EQ(read.size(), 500U);
      EXPECT_EQ(run(Way::read_in_place, Frequency::mhz(mhz), slow), read);
      EXPECT_EQ(run(Way::pull_in_place, Frequency::mhz(mhz), slow), run(Way::pull, Frequency::mhz(mhz), slow));
    }
}

}  // namespace
}  // namespace isthmus
