// Circuits on the CPU's lists and arrays: what they find, what the CPU finds, and how long each access takes.
#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/shared.hpp"

namespace isthmus {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

struct alignas(64) Node {
  std::uint64_t value;
  Address<Node> next;
};
struct alignas(32) HalfNode {
  std::uint64_t value;
  Address<HalfNode> next;
};

struct Idle {
  bool step(CircuitSide&) { return false; }
};

constexpr int kFirst = 0;
constexpr int kSum = 1;

/// Walks a list each time that it is given one, and keeps how long each node took, in ns.
template <class T>
struct ListWalk {
  std::uint64_t sum = 0;
  std::uint64_t walks = 0;
  Time asked{};
  std::vector<double> ns{};

  bool step(CircuitSide& board) {
    if (const auto written = board.written()) {
      sum = 0;
      go_to(board, {written->value});
      return true;
    }
    const auto node = board.take_read<T>();
    if (!node) return false;
    ns.push_back(static_cast<double>((board.now() - asked).femtoseconds()) / 1e6);
    sum += node->value.value;
    go_to(board, node->value.next);
    return true;
  }
  void go_to(CircuitSide& board, Address<T> next) {
    asked = board.now();
    if (next) return board.read(next);
    board.set_register(kSum, sum);
    board.report(++walks);
  }
};

template <class T>
shared<T> list_of(SharedMachine& machine, std::size_t count) {
  shared<T> nodes(machine.memory(), count);
  for (std::size_t i = 0; i < count; ++i)
    nodes[i] = {.value = i * i + 1, .next = i + 1 < count ? nodes.at(i + 1) : Address<T>{}};
  return nodes;
}

std::uint64_t sum_of(std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += i * i + 1;
  return sum;
}

/// ns of each node, of so many walks of a list.
template <class T>
std::vector<double> walks(SharedMachine& machine, std::size_t count, std::uint64_t times,
                          const RunOfMachine& options = {}) {
  shared<T> nodes = list_of<T>(machine, count);
  const auto circuit = machine.run(
      ListWalk<T>{},
      [&](Core& core) {
        for (std::uint64_t walk = 1; walk <= times; ++walk) {
          core.write_register(kFirst, nodes.at().value);
          EXPECT_EQ(core.await_status(walk), walk);
          EXPECT_EQ(core.read_register(kSum), sum_of(count));
        }
      },
      options);
  EXPECT_THAT(circuit.ns, SizeIs(count * times));
  return circuit.ns;
}

TEST(SharedList, OfNodesThatMissTakesAMissEach) {  // choi2019, table 3
  SharedMachine machine("model:xeon-fpga-v1");
  EXPECT_THAT(walks<Node>(machine, 50, 1), Each(355));
}

TEST(SharedList, OfNodesThatTheCacheHoldsTakesAHitEach) {
  SharedMachine machine("model:xeon-fpga-v1");
  const auto ns = walks<Node>(machine, 50, 3);
  EXPECT_THAT(std::vector(ns.begin() + 50, ns.end()), Each(70));
}

TEST(SharedList, OfTwoNodesALineMissesEveryOther) {
  SharedMachine machine("model:xeon-fpga-v1");
  EXPECT_THAT(walks<HalfNode>(machine, 6, 1), ElementsAre(355, 70, 355, 70, 355, 70));
}

TEST(SharedList, OnTheSecondBoardTakesItsCycles) {  // gemieux2018, table 3; from memory instead of the host's cache
  SharedMachine machine("model:xeon-fpga-v2");
  const double cycle = 2.5;
  const auto ns = walks<Node>(machine, 20, 2);
  EXPECT_THAT(std::vector(ns.begin(), ns.begin() + 20), Each(119 * cycle + 60 - 20));
  EXPECT_THAT(std::vector(ns.begin() + 20, ns.end()), Each(25 * cycle));
}

TEST(SharedList, ThatTheCpuHasJustWrittenComesFromItsCache) {
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Node> nodes(machine.memory(), 30);
  const auto circuit = machine.run(ListWalk<Node>{}, [&](Core& core) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      core.store(nodes.at(i), {.value = i * i + 1, .next = i + 1 < nodes.size() ? nodes.at(i + 1) : Address<Node>{}});
    core.write_register(kFirst, nodes.at().value);
    core.await_status(1);
    EXPECT_EQ(core.read_register(kSum), sum_of(nodes.size()));
  });
  EXPECT_THAT(circuit.ns, Each(355 - 60 + 20));
  EXPECT_EQ(nodes[29].value, 29U * 29 + 1) << "memory has what caches held";
}

TEST(SharedList, IsAsFarAsTheLink) {
  SharedMachine far("model:xeon-fpga-v1", {"link.qpi.round_trip=385ns"});
  const auto ns = walks<Node>(far, 10, 2);
  EXPECT_THAT(std::vector(ns.begin(), ns.begin() + 10), Each(455));
  EXPECT_THAT(std::vector(ns.begin() + 10, ns.end()), Each(70));
}

TEST(SharedList, LargerThanTheCacheMissesAgain) {
  SharedMachine small("model:xeon-fpga-v1", {"cache.size=1KiB"});
  EXPECT_THAT(walks<Node>(small, 64, 2), Each(355));
}

TEST(SharedList, TakesTheSameInSmallPages) {
  SharedMachine machine("model:xeon-fpga-v1", {"translation.page=4KiB"});
  EXPECT_THAT(walks<Node>(machine, 500, 1), Each(355));
}

TEST(SharedList, TakesTheSameWhateverTheOrderOfActors) {
  SharedMachine machine("model:xeon-fpga-v2");
  const auto ns = walks<Node>(machine, 20, 2);
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(walks<Node>(machine, 20, 2, {.schedule_seed = seed}), ns);
}

constexpr int kArray = 0;
constexpr int kCount = 1;

/// Writes the squares of numbers into an array, a line each.
struct Squares {
  struct alignas(64) Line {
    std::uint64_t number;
  };
  std::uint64_t next = 0;
  std::uint64_t count = 0;
  Address<Line> to{};

  bool step(CircuitSide& board) {
    if (const auto written = board.written(); written && written->number == kCount) {
      to = {board.register_at(kArray)};
      count = written->value;
      next = 0;
      return true;
    }
    if (next == count || !board.may_write()) return false;
    board.write(to + next, {.number = next * next});
    if (++next == count) board.report(1);
    return true;
  }
};

class SharedArrayOver : public testing::TestWithParam<const char*> {};

TEST_P(SharedArrayOver, IsThereWhenTheStatusWordSaysSo) {
  SharedMachine machine("model:xeon-fpga-v2");
  for (const std::uint64_t seed : {0, 1, 2}) {
    shared<Squares::Line> lines(machine.memory(), 300);
    machine.run(Squares{},
                [&](Core& core) {
                  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(core.load(lines.at(i)).number, 0U);
                  core.write_register(kArray, lines.at().value);
                  core.write_register(kCount, lines.size());
                  core.await_status(1);
                  for (std::size_t i = lines.size(); i-- > 0;) EXPECT_EQ(core.load(lines.at(i)).number, i * i);
                },
                {.channel = GetParam(), .schedule_seed = seed});
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].number, i * i);
  }
}

INSTANTIATE_TEST_SUITE_P(AnyChannel, SharedArrayOver, testing::Values("vl0", "vh0", "vh1", "va"),
                         [](const auto& channel) { return std::string(channel.param); });

/// Says that it is there, and later writes lines, so that the status word's line is its own when it has written them.
struct LateLines {
  using Line = Squares::Line;
  static constexpr std::uint64_t kLines = 2;  // over vh0 and vh1 in turn, where the status word goes over vl0
  static constexpr Time kLater = Time::us(3);
  Address<Line> to{};
  Time begun{};
  std::uint64_t next = kLines;

  bool step(CircuitSide& board) {
    if (const auto written = board.written()) {
      to = {written->value};
      begun = board.now();
      next = 0;
      board.report(1);
      return true;
    }
    if (next == kLines) return false;
    if (board.now() < begun + kLater || !board.may_write()) return true;
    board.write(to + next, {.number = 1});
    if (++next == kLines) board.report(2);
    return true;
  }
};

// The core has all lines in its cache, and looks at the status word at one time of many.
TEST(SharedArray, IsNeverBehindTheStatusWord) {
  int seen = 0;
  for (const char* channel : {"vl0", "va"}) {
    SharedMachine machine("model:xeon-fpga-v2",
                          {"va.round_robin=true", "host.llc.size=80KiB", "link.vh0.flight=800ns",
                           "link.vh0.round_trip=3us", "link.vh1.flight=800ns", "link.vh1.round_trip=3us"});
    shared<LateLines::Line> lines(machine.memory(), LateLines::kLines);
    for (int offset = 0; offset < 3000; offset += 200) {
      for (std::size_t i = 0; i < lines.size(); ++i) lines[i].number = 0;
      machine.run(LateLines{},
                  [&](Core& core) {
                    for (std::size_t i = 0; i < lines.size(); ++i) core.load(lines.at(i));
                    core.write_register(0, lines.at().value);
                    const Time look = core.now() + LateLines::kLater + Time::ns(offset);
                    while (core.now() < look) core.load(lines.at());
                    if (core.status() < 2) return;
                    ++seen;
                    for (std::size_t i = lines.size(); i-- > 0;)
                      EXPECT_EQ(core.load(lines.at(i)).number, 1U) << channel << offset;
                  },
                  {.channel = channel});
    }
  }
  EXPECT_GT(seen, 10);
}

TEST(SharedMachine, RefusesWhatItCannotBuild) {
  EXPECT_THAT([] { SharedMachine("model:aws-f1"); },
              ThrowsMessage<Error>(HasSubstr("aws-f1.toml: memory that CPU and circuits share: expected a board with "
                                             "coherent-link")));
  struct TwoPorts {
    int ports() const { return 2; }
    bool step(CircuitSide&) { return false; }
  };
  SharedMachine machine("model:xeon-fpga-v1");
  EXPECT_THAT([&] { machine.run(TwoPorts{}, [](Core&) {}); },
              ThrowsMessage<Error>(HasSubstr("expected 1 to 1 ports of memory (cache.ports), got 2")));
  EXPECT_THAT([&] { machine.run(Idle{}, [](Core&) {}, {.channel = "vh0"}); },
              ThrowsMessage<Error>(HasSubstr("unknown channel 'vh0'")));
  SharedMachine("model:xeon-fpga-v1", {"cache.ports=2"}).run(TwoPorts{}, [](Core&) {});
}

TEST(SharedMachine, RefusesATagThatIsNotTheCircuits) {
  struct Reader {
    bool step(CircuitSide& board) {
      if (const auto start = board.written()) board.read(Address<Node>{start->value}, {.tag = kOwnTags});
      return false;
    }
  };
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Node> nodes(machine.memory(), 1);
  EXPECT_THAT([&] { machine.run(Reader{}, [&](Core& core) { core.write_register(0, nodes.at().value); }); },
              ThrowsMessage<Error>(HasSubstr("circuit: tag 65280: expected one below 65280")));
}

TEST(SharedMachine, RefusesAnAccessThatLeavesItsLine) {
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Node> nodes = list_of<Node>(machine, 2);
  const auto walk_from = [&](std::uint64_t address) {
    machine.run(ListWalk<Node>{}, [&](Core& core) {
      core.write_register(kFirst, address);
      core.await_status(1);
    });
  };
  EXPECT_THAT([&] { walk_from(nodes.at().value + 8); },
              ThrowsMessage<Error>(HasSubstr("expected bytes of one line of 64 B (cache.line)")));
  EXPECT_THAT([&] { walk_from(std::uint64_t{1} << 40U); },
              ThrowsMessage<Error>(HasSubstr("expected one of the page table")));
  walk_from(nodes.at().value);
}

TEST(SharedMachine, GivesItsMemoryBackWhenItEnds) {
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Node> node(machine.memory());
  EXPECT_THAT([&] { machine.run(Idle{}, [&](Core&) { node->value = 1; }); },
              ThrowsMessage<Error>(HasSubstr("expected a load or store of a core while the machine runs")));
  node->value = 2;
  machine.run(Idle{},
              [&](Core& core) { core.store(node.at(), {.value = core.load(node.at()).value + 1, .next = {}}); });
  EXPECT_EQ(node->value, 3U);
}

}  // namespace
}  // namespace isthmus
