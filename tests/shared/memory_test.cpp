// Objects in shared memory: where they lie, what they hold at first, and how much there is room for.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "isthmus/shared.hpp"

namespace isthmus {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

struct alignas(32) Node {
  std::uint64_t value;
  Address<Node> next;
};
struct Block {
  std::byte bytes[1024];
};

TEST(Shared, ObjectsAreFoundAtTheirAddresses) {
  SharedMachine machine("model:xeon-fpga-v1", {"translation.page=4KiB"});
  shared<Node> nodes(machine.memory(), 1000);  // 8 pages
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = {.value = i, .next = {}};
    if (i > 0) nodes[i - 1].next = nodes.at(i);
  }
  std::uint64_t sum = 0;
  std::size_t count = 0;
  for (Address<Node> at = nodes.at(); at; at = machine.memory().object(at).next, ++count)
    sum += machine.memory().object(at).value;
  EXPECT_EQ(count, nodes.size());
  EXPECT_EQ(sum, 1000 * 999 / 2);
}

TEST(Shared, ObjectsAreZeroAndBeginOnALineThatIsNotTheFirst) {
  for (const char* board : {"model:xeon-fpga-v1", "model:xeon-fpga-v2"}) {
    SharedMachine machine(board);
    for (int round = 0; round < 3; ++round) {
      shared<Node> nodes(machine.memory(), 5);
      EXPECT_TRUE(nodes.at());
      EXPECT_EQ(nodes.at().value % 64, 0U);
      EXPECT_EQ(nodes[4].value, 0U);
      EXPECT_FALSE(nodes[4].next);
      nodes[4] = {.value = 7, .next = nodes.at(2)};
    }
  }
}

TEST(Shared, ObjectsDoNotCrossPages) {
  SharedMachine machine("model:xeon-fpga-v1", {"translation.page=4KiB"});
  shared<Node> before(machine.memory(), 3);
  shared<Block> blocks(machine.memory(), 9);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks.at(i).value % sizeof(Block), 0U);
    blocks[i].bytes[sizeof(Block) - 1] = std::byte{1};
  }
}

TEST(Shared, MovedObjectsStayWhereTheyAre) {
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Node> nodes(machine.memory(), 2);
  nodes[1].value = 3;
  const Address<Node> was = nodes.at(1);
  shared<Node> moved(std::move(nodes));
  shared<Node> other(machine.memory());
  other = std::move(moved);
  EXPECT_EQ(other.at(1), was);
  EXPECT_EQ(other[1].value, 3U);
}

TEST(Shared, WhatIsGivenBackIsUsedAgain) {
  SharedMachine machine("model:xeon-fpga-v1", {"translation.entries=4"});
  std::optional<Address<Block>> first;
  for (int round = 0; round < 100; ++round) {
    shared<Block> large(machine.memory(), 3 * kMiB / sizeof(Block));
    shared<Block> small(machine.memory(), 1);
    large[large.size() - 1].bytes[0] = std::byte{1};
    if (!first) first = large.at(0);
    EXPECT_EQ(large.at(0), *first);
  }
}

TEST(Shared, WithoutAPageTableNoObjectsLieInTwoBlocks) {
  SharedMachine machine("model:xeon-fpga-v2");  // pins 2 MiB at once
  SharedMemory& memory = machine.memory();
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint64_t> held;
    for (int i = 0; i < 5; ++i) {
      held.push_back(memory.allocate({3 * kMiB / 2}));
      EXPECT_TRUE(std::ranges::all_of(memory.bytes(held.back(), 3 * kMiB / 2),
                                      [](std::byte byte) { return byte == std::byte{}; }));
      std::ranges::fill(memory.bytes(held.back(), 3 * kMiB / 2), std::byte{1});
    }
    for (const std::uint64_t at : held) memory.release(at, {3 * kMiB / 2});
  }
}

TEST(Shared, MemoryOfARunningMachineIsNeitherTakenNorCleared) {
  struct Idle {
    bool step(CircuitSide&) { return false; }
  };
  SharedMachine machine("model:xeon-fpga-v1");
  std::optional<shared<Node>> node(std::in_place, machine.memory());
  const Address<Node> at = node->at();
  machine.run(Idle{}, [&](Core& core) {
    core.store(at, Node{.value = 7, .next = {}});
    EXPECT_THROW(machine.memory().allocate({64}), Error);
    node.reset();
    EXPECT_EQ(core.load(at).value, 7U);
  });
  const shared<Node> next(machine.memory());
  EXPECT_EQ(next.at(), at);
  EXPECT_EQ(machine.memory().object(at).value, 0U) << "nothing of what a cache held came behind it";
}

TEST(Shared, MemoryHoldsWhatThePageTableDoes) {
  const auto hold = [](std::vector<std::string> overrides, std::int64_t bytes) {
    SharedMachine machine("model:xeon-fpga-v1", overrides);
    machine.memory().allocate({bytes});
  };
  const std::int64_t own = std::int64_t{64} * (1 + kMessages);
  hold({}, 2048 * kMiB - own);
  EXPECT_THAT([&] { hold({}, 2048 * kMiB - own + 1); },
              ThrowsMessage<Error>(AllOf(HasSubstr("xeon-fpga-v1.toml: shared memory: expected at most 2147483072 B"),
                                         HasSubstr("1024 pages of 2097152 B (translation.entries, translation.page)"),
                                         HasSubstr("got 2147483136 B"))));
  hold({"translation.page=4KiB"}, 4 * kMiB - own);
  EXPECT_THAT([&] { hold({"translation.page=4KiB"}, 4 * kMiB); },
              ThrowsMessage<Error>(HasSubstr("1024 pages of 4096 B")));
  hold({"translation.page=4KiB", "translation.entries=2048"}, 4 * kMiB);
  EXPECT_THAT(
      [] {
        SharedMachine machine("model:xeon-fpga-v1");
        shared<Block> blocks(machine.memory(), ~std::size_t{0} / 8);
      },
      ThrowsMessage<Error>(HasSubstr("expected at most")));
}

TEST(Shared, MemoryHoldsWhatTheHostDoes) {
  for (const char* table : {"translation.enabled=true", "translation.enabled=false"}) {
    SharedMachine machine("model:xeon-fpga-v1", {"host.memory.capacity=8MiB", table});
    const shared<Block> first(machine.memory(), 4 * kMiB / sizeof(Block));
    EXPECT_THAT([&] { shared<Block>(machine.memory(), 6 * kMiB / sizeof(Block)); },
                ThrowsMessage<Error>(AllOf(HasSubstr("xeon-fpga-v1.toml: shared memory: expected at most"),
                                           HasSubstr("8388608 B of the host (host.memory.capacity)"))));
  }
}

TEST(Shared, PlacesAreThoseThatThereAre) {
  SharedMachine machine("model:xeon-fpga-v1");
  shared<Node> nodes(machine.memory(), 2);
  EXPECT_THAT([&] { nodes.at(2); }, ThrowsMessage<Error>(HasSubstr("expected a place below 2, got 2")));
}

struct Taken {
  std::uint64_t at;
  std::int64_t size;
};

/// Takes and gives back at random; each byte of what is held has been written by its holder.
RC_GTEST_PROP(Shared, MemoryOfSomeoneIsNobodyElses, ()) {
  const bool table = *rc::gen::arbitrary<bool>();
  SharedMachine machine("model:xeon-fpga-v1", {table ? "translation.page=4KiB" : "translation.enabled=false"});
  SharedMemory& memory = machine.memory();
  std::vector<Taken> held;
  std::uint8_t mark = 0;
  std::vector<std::uint8_t> marks;
  const auto each = [&](const Taken& one, auto&& what) {
    for (std::uint64_t at = one.at; at < one.at + static_cast<std::uint64_t>(one.size); ++at)
      what(memory.bytes(at, 1)[0]);
  };
  for (int i = 0; i < 40; ++i) {
    if (!held.empty() && *rc::gen::inRange(0, 5) < 2) {
      const auto place = *rc::gen::inRange<std::size_t>(0, held.size());
      each(held[place], [&](std::byte& byte) { RC_ASSERT(std::to_integer<int>(byte) == marks[place]); });
      memory.release(held[place].at, {held[place].size});
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
      marks.erase(marks.begin() + static_cast<std::ptrdiff_t>(place));
      continue;
    }
    const auto size = *rc::gen::inRange<std::int64_t>(1, 3000);
    const auto alignment = std::uint64_t{1} << *rc::gen::inRange(0U, 13U);
    const Taken one{.at = memory.allocate({size}, alignment), .size = size};
    RC_ASSERT(one.at % alignment == 0 && one.at % 64 == 0);
    each(one, [](std::byte& byte) { RC_ASSERT(byte == std::byte{}); });
    marks.push_back(++mark);
    each(one, [&](std::byte& byte) { byte = std::byte{mark}; });
    held.push_back(one);
  }
}

}  // namespace
}  // namespace isthmus
