// The host link between threads: what goes in comes out, in place, and every buffer comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "engine/plain_actors.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/native.hpp"
#include "isthmus/native/link.hpp"
#include "stream/echo.hpp"

namespace isthmus {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr int kBuffers = 40;
constexpr native::LinkSpec kSpec{.buffer_size = Bytes{4096}, .input_buffers = 3, .output_buffers = 2};

std::byte content(int buffer, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(buffer) * 7 + at * 13);
}

/// Fills buffers, each a word shorter than the one before, and notes where they are.
struct Producer {
  HostInput link;
  std::set<const std::byte*> places;
  int sent = 0;
  explicit Producer(PinnedMemory& memory) : link(memory, Time()) {}
  void step() {
    Buffer buffer = link.acquire();
    buffer.shrink(buffer.span().size() - static_cast<std::size_t>(sent % 8) * 64);
    const auto bytes = buffer.span();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = content(sent, i);
    places.insert(bytes.data());
    link.commit(std::move(buffer));
    ++sent;
  }
  bool done() const { return sent == kBuffers; }
};

struct Consumer {
  HostOutput link;
  std::set<const std::byte*> places;
  std::vector<std::byte> got;
  std::size_t expected = 0;
  int throw_after = -1;
  explicit Consumer(PinnedMemory& memory) : link(memory, Time()) {}
  void step() {
    const Buffer buffer = link.receive();
    if (throw_after-- == 0) throw std::runtime_error("died in the middle of a buffer");
    places.insert(buffer.span().data());
    got.insert(got.end(), buffer.span().begin(), buffer.span().end());
  }
  bool done() const { return got.size() == expected; }
};

std::vector<std::byte> all_bytes() {
  std::vector<std::byte> bytes;
  for (int buffer = 0; buffer < kBuffers; ++buffer)
    for (std::size_t i = 0; i < 4096U - static_cast<std::size_t>(buffer % 8) * 64; ++i)
      bytes.push_back(content(buffer, i));
  return bytes;
}

class NativeLink : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, NativeLink, testing::Values(1, 2, 3));

TEST_P(NativeLink, HandsOverTheProducersOwnBuffersWithoutACopy) {
  Graph graph;
  native::Link link(graph, kSpec);
  auto& producer = graph.add<Producer>("producer", {}, link.memory());
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory());
  consumer.expected = all_bytes().size();
  link.hand_over(producer.link, consumer.link);
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(consumer.got, all_bytes());
  EXPECT_THAT(producer.places, SizeIs(3));
  EXPECT_THAT(consumer.places, IsSubsetOf(producer.places));
  EXPECT_EQ(link.memory().lent(), 0U);
}

TEST_P(NativeLink, CarriesWordsThroughAKernelAndBack) {
  Graph graph;
  native::Link link(graph, kSpec);
  auto& producer = graph.add<Producer>("producer", {}, link.memory());
  auto& echo = graph.add<Echo>("echo");
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory());
  consumer.expected = all_bytes().size();
  link.connect(producer.link);
  link.connect(consumer.link);
  graph.connect(link.to_kernel(), echo.in, wire(8));
  graph.connect(echo.out, link.from_kernel(), wire(8));
  native::run(graph, {.workers = GetParam()});
  EXPECT_EQ(consumer.got, all_bytes());
  EXPECT_EQ(link.memory().lent(), 0U);
}

TEST_P(NativeLink, AConsumerThatThrowsEndsTheRunAndItsBuffersComeBack) {
  Graph graph;
  native::Link link(graph, kSpec);
  auto& producer = graph.add<Producer>("producer", {}, link.memory());
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory());
  consumer.expected = all_bytes().size();
  consumer.throw_after = 5;
  link.hand_over(producer.link, consumer.link);
  EXPECT_THAT([&] { native::run(graph, {.workers = GetParam()}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("consumer"), HasSubstr("died in the middle of a buffer"))));
  EXPECT_LT(producer.sent, kBuffers) << "it could not go on without its consumer";
  EXPECT_EQ(link.memory().lent(), 0U);
}

/// Keeps what it receives.
struct Hoarder {
  std::vector<Buffer>* kept;
  HostOutput link;
  Hoarder(PinnedMemory& memory, std::vector<Buffer>& place) : kept(&place), link(memory, Time()) {}
  void step() { kept->push_back(link.receive()); }
  bool done() const { return kept->size() == 2; }
};

/// Sends two buffers and keeps a third.
struct Keeper {
  std::vector<Buffer> kept;  // dies after the link
  HostInput link;
  explicit Keeper(PinnedMemory& memory) : link(memory, Time()) {}
  void step() {
    for (int i = 0; i < 2; ++i) {
      Buffer buffer = link.acquire();
      std::ranges::fill(buffer.span(), std::byte(i + 1));
      link.commit(std::move(buffer));
    }
    kept.push_back(link.acquire());
  }
  bool done() const { return !kept.empty(); }
};

TEST_P(NativeLink, ABufferKeptPastTheEndKeepsItsBytesAndGoesNowhere) {
  std::vector<Buffer> kept;
  {
    Graph graph;
    native::Link link(graph, kSpec);
    auto& keeper = graph.add<Keeper>("keeper", {}, link.memory());
    auto& hoarder = graph.add<Hoarder>("hoarder", {}, link.memory(), kept);
    link.hand_over(keeper.link, hoarder.link);
    native::run(graph, {.workers = GetParam()});
    EXPECT_EQ(link.memory().lent(), 3U);
    EXPECT_THAT([&] { keeper.link.commit(std::move(keeper.kept.front())); },
                ThrowsMessage<Error>(HasSubstr("after the end of the run")));
    kept.front() = std::move(kept.back());
    kept.pop_back();
    EXPECT_EQ(link.memory().lent(), 2U);
  }
  EXPECT_THAT(kept.front().span(), Each(std::byte{2}));
}

}  // namespace
}  // namespace isthmus
