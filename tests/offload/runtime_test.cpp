// What an OpenCL runtime keeps of commands, and what it forgets.
#include "offload/model/runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace isthmus::offload::model {
namespace {

constexpr std::size_t kThread = 0;
constexpr Time kEach = Time::us(1);

/// A thread and a link, over which one command passes after the other.
class OneLink {
 public:
  /// Hands a transfer that begins after others to the runtime.
  std::shared_ptr<Command> enqueue(int queue, std::vector<std::shared_ptr<const Command>> after = {}) {
    auto command = std::make_shared<Command>();
    command->id = {.thread = kThread, .number = made_++};
    command->queue = queue;
    command->work = DeviceWork::to_device;
    command->bytes = 64;
    command->after = std::move(after);
    state.call(
        kThread,
        {.kind = HostCall::Kind::enqueue, .object = queue, .depth = 0, .enqueue = {command.get()}, .command = nullptr});
    return command;
  }
  /// Runs a command to its end, if one may start.
  bool run_next() {
    const auto token = state.dispatch_transfer(kThread, now_);
    if (!token) return false;
    now_ += kEach;
    state.completed(*token, now_);
    return true;
  }

  RuntimeState state{Workers(1, 0, 1), LinkLoads(std::vector<Bandwidth>{{1e9}}), fabric::Units{1, 0}, Time()};

 private:
  std::uint32_t made_ = 0;
  Time now_;
};

std::int64_t alive(const std::vector<std::weak_ptr<Command>>& commands) {
  return std::ranges::count_if(commands, [](const auto& command) { return !command.expired(); });
}

TEST(Runtime, ForgetsCommandsThatAreCompleteAndThatNobodyCanAskFor) {
  OneLink link;
  std::vector<std::weak_ptr<Command>> commands;
  std::shared_ptr<Command> before;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::shared_ptr<const Command>> after;
    if (before != nullptr) after.push_back(before);
    before = link.enqueue(i % 2, std::move(after));
    commands.push_back(before);
    ASSERT_TRUE(link.run_next());
  }
  before.reset();
  EXPECT_LE(alive(commands), 2) << "the last of each queue: a later command may have waited for it";
}

TEST(Runtime, KnowsWhatAllCommandsTookThoughItHasForgottenThem) {
  OneLink link;
  constexpr int kCommands = 100;
  for (int i = 0; i < kCommands; ++i) {
    const auto command = link.enqueue(0);
    ASSERT_TRUE(link.run_next());
  }
  const fabric::Unit unit = fabric::Units::to_device(0);
  EXPECT_EQ(link.state.done(unit).time, Time::us(kCommands));
  EXPECT_EQ(link.state.done(unit).bytes, 64.0 * kCommands);
  ASSERT_NE(link.state.last(), nullptr);
  EXPECT_EQ(link.state.last()->path.units.at(unit), Time::us(kCommands)) << "each began when the one before had ended";
  EXPECT_EQ(link.state.last()->ran.end, Time::us(kCommands));
}

TEST(Runtime, BeginsACommandOnceAllHaveEndedThatItIsToBeginAfter) {
  OneLink link;
  const auto first = link.enqueue(0);
  const auto second = link.enqueue(1, {first});
  const auto token = link.state.dispatch_transfer(kThread, Time());
  ASSERT_TRUE(token);
  EXPECT_EQ(token->command, first.get());
  EXPECT_FALSE(link.state.dispatch_transfer(kThread, Time()));
  link.state.completed(*token, kEach);
  EXPECT_EQ(link.state.dispatch_transfer(kThread, kEach)->command, second.get());
}

}  // namespace
}  // namespace isthmus::offload::model
