// What CPU and circuit tell each other: registers, status word, messages, reset; and how long that takes.
#include <gmock/gmock.h>

#include "isthmus/base/error.hpp"
#include "isthmus/shared.hpp"

namespace isthmus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::int64_t kCycle = 5;  // ns, of both clocks of the first board

struct Idle {
  bool step(CircuitSide&) { return false; }
};

double ns(Time time) {
  return static_cast<double>(time.femtoseconds()) / 1e6;
}

/// Gives back in one register what is written to another, and 1.
struct Increment {
  bool step(CircuitSide& board) {
    const auto written = board.written();
    if (!written) return false;
    board.set_register(2, written->value + 1);
    return true;
  }
};

TEST(Registers, AreAsFarAsTheLink) {
  const auto measured = [](const std::vector<std::string>& overrides) {
    std::pair<double, double> times;
    SharedMachine machine("model:xeon-fpga-v1", overrides);
    machine.run(Increment{}, [&](Core& core) {
      const Time begin = core.now();
      core.write_register(1, 41);
      const Time written = core.now();
      EXPECT_EQ(core.read_register(2), 42U);
      times = {ns(written - begin), ns(core.now() - written)};
    });
    return times;
  };
  const auto [write, read] = measured({});
  EXPECT_EQ(write, 100) << "what the core pays; it does not wait for the circuit";
  // Behind the store, which is in the same place a cycle before: both ways of the link without memory, and that cycle.
  EXPECT_EQ(read, 285 - 60 + kCycle);
  EXPECT_EQ(measured({"host.mmio.store=20ns"}).first, 20);
  EXPECT_EQ(measured({"link.qpi.round_trip=385ns"}).second, read + 100);
}

TEST(Registers, AreThoseThatThereAre) {
  SharedMachine machine("model:xeon-fpga-v1");
  for (const int number : {-1, kRegisters})
    EXPECT_THAT([&] { machine.run(Idle{}, [&](Core& core) { core.write_register(number, 1); }); },
                ThrowsMessage<Error>(HasSubstr("register: expected a number from 0 to 63, got")));
  EXPECT_THAT([&] { machine.run(Idle{}, [&](Core& core) { core.send(kMessages, 1); }); },
              ThrowsMessage<Error>(HasSubstr("message: expected a number from 0 to 7, got 8")));
}

TEST(StatusWord, ThatDoesNotComeIsAnError) {
  SharedMachine machine("model:xeon-fpga-v1");
  EXPECT_THAT([&] { machine.run(Idle{}, [](Core& core) { core.await_status(3, Time::us(10)); }); },
              ThrowsMessage<Error>(HasSubstr("status word: expected 3 or more within 10 us of virtual time, got 0")));
}

/// Says so at once.
struct Reporter {
  Time reported{};
  bool step(CircuitSide& board) {
    const auto written = board.written();
    if (!written) return false;
    reported = board.now();
    board.report(written->value);
    return true;
  }
};

TEST(StatusWord, ComesWhenTheHostsCacheHasLostItsLine) {
  SharedMachine machine("model:xeon-fpga-v1");
  Time seen;
  const auto circuit = machine.run(Reporter{}, [&](Core& core) {
    core.status();  // its line is in the host's cache
    core.write_register(0, 9);
    EXPECT_EQ(core.await_status(1), 9U);
    seen = core.now();
  });
  // Writing takes 11 cycles to the cache's tags and half a round trip to the home, from where the host's cache is told.
  // What it reads then comes by way of the home from the circuit's cache, when that has its line.
  EXPECT_GT(seen - circuit.reported, Time::ns(285));
  EXPECT_LT(seen - circuit.reported, Time::ns(2 * 355));
}

/// Keeps what it is sent and when, and says how many that were. It reads other lines meanwhile, if it is told where.
struct Listener {
  int lines = 1;
  std::vector<std::uint64_t> values{};
  std::vector<Time> times{};
  Address<StatusWord> others{};
  std::uint64_t next = 0;
  bool waiting = false;

  int messages() const { return lines; }
  bool step(CircuitSide& board) {
    bool moved = false;
    if (const auto written = board.written()) others = {written->value};
    if (const auto message = board.message()) {
      values.push_back(message->value + 1000 * static_cast<std::uint64_t>(message->line));
      times.push_back(board.now());
      board.report(values.size());
      moved = true;
    }
    if (waiting && board.take_read<StatusWord>()) {
      waiting = false;
      moved = true;
    }
    if (others && !waiting && board.may_read()) {
      board.read(others + next++ % 16 * 8);
      waiting = moved = true;
    }
    return moved;
  }
};

TEST(Message, TakesASnoopAndThenAMiss) {
  const auto latency = [](const std::vector<std::string>& overrides) {
    SharedMachine machine("model:xeon-fpga-v1", overrides);
    Time sent;
    const auto circuit = machine.run(Listener{}, [&](Core& core) {
      core.send(0, 1);  // the host's cache has its line from now on
      core.await_status(1);
      sent = core.now();
      core.send(0, 7);
      core.await_status(2);
    });
    EXPECT_THAT(circuit.values, ElementsAre(1, 7));
    return ns(circuit.times.back() - sent);
  };
  // To the host's cache, from there to the home, to the circuit's cache, and to the circuit, which asks at once. When
  // its read comes to the home, the store has its line, and the host's cache answers.
  const double snoop = (1 + 2 + 23 + 1) * kCycle;
  const double miss = 355 - 60 + 20;
  EXPECT_EQ(latency({}), snoop + miss);
  EXPECT_EQ(latency({"link.qpi.round_trip=485ns"}), snoop + miss + 100 + 200);
}

TEST(Message, GoesToItsLine) {
  SharedMachine machine("model:xeon-fpga-v1");
  const auto circuit = machine.run(Listener{.lines = kMessages}, [](Core& core) {
    for (int line = kMessages; line-- > 0;) {
      core.send(line, 5);
      core.await_status(static_cast<std::uint64_t>(kMessages - line));
    }
  });
  EXPECT_THAT(circuit.values, ElementsAre(7005, 6005, 5005, 4005, 3005, 2005, 1005, 5));
}

TEST(Message, IsHeardThoughItsLineHasMadeWay) {
  SharedMachine machine("model:xeon-fpga-v2", {"cache.size=1KiB"});
  shared<std::array<StatusWord, 8>> others(machine.memory(), 16);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto circuit = machine.run(Listener{},
                                     [&](Core& core) {
                                       core.write_register(0, others.at().value);
                                       for (std::uint64_t i = 1; i <= 30; ++i) {
                                         core.send(0, i);
                                         core.await_status(i, Time::us(100));
                                       }
                                     },
                                     {.schedule_seed = seed});
    ASSERT_THAT(circuit.values, SizeIs(30));
    for (std::uint64_t i = 0; i < 30; ++i) EXPECT_EQ(circuit.values[i], i + 1);
    EXPECT_GT(circuit.next, 100U) << "others have taken its place all the time";
  }
}

/// Reads lines on and on, as many as it may, and counts what came; those of a later start have another tag.
struct Stream {
  struct alignas(64) Line {
    std::uint64_t number;
  };
  Address<Line> from{};
  std::uint16_t tag = 0;
  std::uint64_t asked = 0;
  std::uint64_t came = 0;
  std::uint64_t strange = 0;  ///< results of what it has not asked for

  bool step(CircuitSide& board) {
    bool moved = false;
    if (const auto written = board.written(); written && written->number == 0) {
      from = {written->value};
      tag = static_cast<std::uint16_t>(board.register_at(1));
    }
    if (const auto line = board.take_read<Line>()) {
      if (line->tag != tag || line->value.number != came % 4096) ++strange;
      ++came;
      board.set_register(2, came);
      moved = true;
    }
    if (from && board.may_read()) {
      board.read(from + asked++ % 4096, {.tag = tag});
      moved = true;
    }
    return moved;
  }
};

TEST(Reset, TakesTheCircuitBackWithNothingUnderWay) {
  for (const char* board : {"model:xeon-fpga-v1", "model:xeon-fpga-v2"}) {
    SharedMachine machine(board);
    shared<Stream::Line> lines(machine.memory(), 4096);
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].number = i;
    const auto circuit = machine.run(Stream{}, [&](Core& core) {
      for (std::uint64_t tag = 1; tag <= 3; ++tag) {
        core.write_register(1, tag);
        core.write_register(0, lines.at().value);
        std::uint64_t before = 0;
        while ((before = core.read_register(2)) < 200) EXPECT_EQ(core.status(), 0U);
        if (tag == 3) return;
        core.reset();
        EXPECT_EQ(core.read_register(2), 0U);
        EXPECT_EQ(core.read_register(1), 0U);
      }
    });
    EXPECT_EQ(circuit.strange, 0U);
    EXPECT_EQ(circuit.tag, 3U);
    EXPECT_LT(circuit.came, 400U) << "of the last start alone";
  }
}

TEST(Reset, WaitsForWhatIsUnderWay) {
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Stream::Line> lines(machine.memory(), 4096);
  const auto took = [&](bool busy) {
    Time time;
    machine.run(Stream{}, [&](Core& core) {
      if (busy) core.write_register(0, lines.at().value);
      if (busy)
        while (core.read_register(2) < 100) continue;
      const Time begin = core.now();
      core.reset();
      time = core.now() - begin;
    });
    return time;
  };
  const Time idle = took(false);
  const Time busy = took(true);
  EXPECT_GE(busy - idle, Time::ns(355 - 2 * kCycle)) << "a read that has just begun";
  EXPECT_LT(busy - idle, Time::us(3)) << "reads that wait for room among those under way are answered, too";
}

TEST(Reset, TakesTheStatusWordBack) {
  SharedMachine machine("model:xeon-fpga-v1");
  machine.run(Reporter{}, [](Core& core) {
    for (const std::uint64_t status : {5, 3}) {
      core.write_register(0, status);
      EXPECT_EQ(core.await_status(1), status);
      core.reset();
      EXPECT_EQ(core.status(), 0U);
    }
  });
}

}  // namespace
}  // namespace isthmus
