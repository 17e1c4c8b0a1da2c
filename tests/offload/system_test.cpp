// Boards in one host: alike to one alone as long as the host's memory has enough for all.
#include "isthmus/offload/system.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "base/noise.hpp"
#include "isthmus/base/error.hpp"
#include "offload/boards_of_links.hpp"

namespace isthmus::offload {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<ModelSystem> open_boards(std::size_t boards, const std::vector<std::string>& overrides = {}) {
  std::vector<SystemBoard> all;
  for (std::size_t i = 0; i < boards; ++i)
    all.push_back(
        {"board " + std::to_string(i), platform::load(platform::file_of("model:aws-f1"), overrides).over("")});
  return open_system(all, {});
}

struct Copied {
  std::vector<Time> ends;  ///< of each board, from the run's start
  bool right = true;
};

/// A copy of `size` bytes to each board, all at once, from pinned memory; then back, and compared.
Copied copy(ModelSystem& system, std::size_t size, unsigned seed) {
  struct Side {
    Buffer buffer;
    PinnedBuffer sent;
    PinnedBuffer back;
    std::unique_ptr<Queue> queue;
  };
  std::vector<Side> sides;
  for (std::size_t i = 0; i < system.boards(); ++i) {
    ModelDevice& device = system.device(i);
    sides.push_back({device.buffer(size), device.pinned(size), device.pinned(size), device.queue()});
    fill_with_noise(sides[i].sent.bytes(), seed + static_cast<unsigned>(i));
  }
  Copied copied;
  copied.ends.resize(sides.size());
  const auto each = [&](auto body) {
    std::vector<std::vector<HostThread>> threads;
    for (std::size_t i = 0; i < sides.size(); ++i) threads.push_back({{"host", [&, i] { body(i); }}});
    system.run(std::move(threads));
  };
  each([&](std::size_t i) {
    const Moment start = system.device(i).now();
    sides[i].queue->write(sides[i].buffer, 0, sides[i].sent.bytes());
    copied.ends[i] = system.device(i).now() - start;
  });
  each([&](std::size_t i) { sides[i].queue->read(sides[i].buffer, 0, sides[i].back.bytes()); });
  for (const Side& side : sides)
    copied.right = copied.right && std::ranges::equal(side.sent.bytes(), side.back.bytes());
  return copied;
}

double rate(std::size_t bytes, Time time) {
  return static_cast<double>(bytes) / time.seconds() * 1e-9;
}

TEST(System, OfOneBoardIsThatBoard) {
  const auto system = open_boards(1);
  const auto board = open_model(platform::load(platform::file_of("model:aws-f1")), {});
  const std::size_t size = 100'000;
  const auto buffer = board->buffer(size);
  const auto sent = board->pinned(size);
  const auto queue = board->queue();
  Time alone;
  board->run({{"host", [&] {
                 const Moment start = board->now();
                 queue->write(buffer, 0, sent.bytes());
                 alone = board->now() - start;
               }}});
  EXPECT_EQ(copy(*system, size, 1).ends, std::vector{alone});
}

TEST(System, LeavesEachBoardItsRateWhereTheMemoryHasEnough) {
  constexpr std::size_t kSize = 2'000'000;
  const double alone = rate(kSize, copy(*open_boards(1), kSize, 1).ends.front());
  const Copied four = copy(*open_boards(4), kSize, 2);
  EXPECT_TRUE(four.right);
  for (const Time end : four.ends) EXPECT_NEAR(rate(kSize, end), alone, 0.02 * alone);
}

TEST(System, SharesTheMemoryEquallyWhereItLimits) {
  constexpr std::size_t kSize = 2'000'000;
  const std::vector<std::string> overrides{"host.memory.channels=1", "host.memory.transfer_rate=800"};
  const double memory = 0.8 * 8;  // GB/s
  const Time alone = copy(*open_boards(1), kSize, 3).ends.front();
  for (const std::size_t boards : {2U, 4U, 8U}) {
    const Copied copied = copy(*open_boards(boards, overrides), kSize, 3);
    EXPECT_TRUE(copied.right);
    const Time least = Time::seconds(static_cast<double>(kSize * boards) / (memory * 1e9));
    for (const Time end : copied.ends) {
      EXPECT_GT(end, least) << boards << " boards";
      EXPECT_LT(end, least + alone) << boards << " boards, calls included";
    }
  }
}

TEST(System, KeepsTheBytesOfEachBoard) {
  EXPECT_TRUE(rc::check([] {
    const auto system = open_boards(*rc::gen::inRange<std::size_t>(1, 6));
    const auto size = *rc::gen::inRange<std::size_t>(1, 50'000);
    RC_ASSERT(copy(*system, size, *rc::gen::arbitrary<unsigned>()).right);
  }));
}

TEST(System, KeepsTheBytesOfBoardsWithSeveralLinksEach) {
  EXPECT_TRUE(rc::check([] {
    std::vector<SystemBoard> boards(*rc::gen::inRange<std::size_t>(1, 4));
    for (std::size_t i = 0; i < boards.size(); ++i)
      boards[i] = {"board " + std::to_string(i), over_links::board_of_links(*rc::gen::inRange(1, 4))};
    const auto system = open_system(boards, {});
    RC_ASSERT(copy(*system, *rc::gen::inRange<std::size_t>(1, 50'000), *rc::gen::arbitrary<unsigned>()).right);
  }));
}

struct Mine : std::exception {
  int board;
  explicit Mine(int which) : board(which) {}
};

TEST(System, ThrowsWhatABodyOfAnyBoardThrewFirst) {
  for (const int first : {0, 1, 2}) {
    const auto system = open_boards(3);
    std::vector<std::vector<HostThread>> threads;
    threads.reserve(3);
    for (int board = 0; board < 3; ++board)
      threads.push_back({{"host", [board, first, &system] {
                            const auto queue = system->device(static_cast<std::size_t>(board)).queue();
                            if (board != first) queue->finish();
                            throw Mine(board);
                          }}});
    try {
      system->run(std::move(threads));
      FAIL();
    } catch (const Mine& mine) {
      EXPECT_EQ(mine.board, first);
    }
  }
}

TEST(System, BeginsRunsOfAllBoardsAtOneInstantWhateverTheirSetUpTook) {
  const auto system = open_boards(2);
  const auto buffer = system->device(1).buffer(4096);
  std::array<Moment, 2> starts;
  const auto body = [&](std::size_t board) {
    return std::vector<HostThread>{{"host", [&, board] { starts.at(board) = system->device(board).now(); }}};
  };
  system->run({body(0), body(1)});
  EXPECT_EQ(starts[0], starts[1]);
  EXPECT_GT(starts[0], Moment{});
  EXPECT_EQ(system->device(0).now(), system->device(1).now());
}

TEST(System, RefusesABodyThatUsesTheQueueOfAnotherBoard) {
  const auto system = open_boards(2);
  const auto buffer = system->device(1).buffer(64);
  const auto queue = system->device(1).queue();
  const std::vector<std::byte> bytes(64);
  EXPECT_THAT(
      [&] {
        system->run({{{"host", [&] { queue->write(buffer, 0, bytes); }}}, {{"host", [] {}}}});
      },
      ThrowsMessage<Error>(HasSubstr("a command outside Device::run")));
}

TEST(System, TellsWhatABodyThrew) {
  const auto system = open_boards(2);
  EXPECT_THAT(
      [&] {
        system->run({{{"host", [] {}}}, {{"host", [] { throw Error("no more"); }}}});
      },
      ThrowsMessage<Error>(HasSubstr("no more")));
}

}  // namespace
}  // namespace isthmus::offload
