// A drive behind its queue of commands, against its closed form.
#include "isthmus/fabric/storage.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>

#include "engine/plain_actors.hpp"

namespace isthmus::fabric {
namespace {

/// Takes words at its clock's rate, and holds them against what lies on the drive.
struct Taker {
  In<StreamWord> in{"in"};
  Timer timer;
  std::uint64_t words = 0;
  std::uint64_t wrong = 0;
  std::vector<std::uint64_t> ends;  ///< words before the end of each message
  Time last;

  void step() {
    const StreamWord word = in.read();
    std::uint64_t first = 0;
    std::memcpy(&first, word.data.bytes.data(), sizeof(first));
    wrong += first == words * kWordBytes ? 0 : 1;
    ++words;
    last = timer.now();
    if (word.last) ends.push_back(words);
  }
};

/// Each word of the drive begins with its place.
void number(std::uint64_t first, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kWordBytes) {
    const std::uint64_t place = first + at;
    std::memcpy(bytes.data() + at, &place, sizeof(place));
  }
}

struct Reading {
  Taker words{};
  std::vector<Time> begun{};
};

Reading read_all(const StorageSpec& spec, const StoredMessages& messages) {
  Graph graph;
  const ActorOptions device{.clock = Clock{Frequency::mhz(250)}};
  auto& reads = graph.add<StorageReads>("reads", {}, spec, messages);
  auto& drive = graph.add<Drive>("drive", {}, spec, number);
  auto& words = graph.add<StorageWords>("words", device, messages);
  auto& taker = graph.add<Taker>("taker", device);
  ChannelOptions commands = wire(spec.queue_depth);
  commands.latency_time = spec.read_latency;
  graph.connect(reads.commands, drive.commands, commands);
  graph.connect(drive.completed, reads.completed, wire(spec.queue_depth));
  graph.connect(drive.data, words.in, wire(kStoragePieces));
  graph.connect(words.out, taker.in, {.depth = 16});
  graph.run();
  return {.words = taker, .begun = reads.begun()};
}

TEST(Drive, GivesEachMessageOnceAndWholeWhateverItsQueue) {
  EXPECT_TRUE(rc::check([] {
    const StorageSpec spec{.queue_depth = *rc::gen::inRange(1, 20),
                           .read_latency = Time::us(*rc::gen::inRange(1, 100)),
                           .read_rate = {*rc::gen::inRange(1, 20) * 1e9},
                           .read_size = Bytes{512 * *rc::gen::inRange(1, 20)}};
    const StoredMessages messages{.bytes = kWordBytes * *rc::gen::inRange<std::uint64_t>(1, 300),
                                  .count = *rc::gen::inRange(1, 20)};
    const Reading reading = read_all(spec, messages);
    RC_ASSERT(reading.words.wrong == 0U);
    RC_ASSERT(reading.begun.size() == static_cast<std::size_t>(messages.count));
    std::vector<std::uint64_t> ends;
    for (int i = 1; i <= messages.count; ++i)
      ends.push_back(messages.bytes / kWordBytes * static_cast<std::uint64_t>(i));
    RC_ASSERT(reading.words.ends == ends);
  }));
}

/// When the last of so many reads is whole: they leave one behind the other, or, where the queue empties first, as many
/// as it holds in the time of one.
double last_of(const StorageSpec& spec, int count) {
  const double transfer = static_cast<double>(spec.read_size.count) / spec.read_rate.bytes_per_second;
  const double one = spec.read_latency.seconds() + transfer;
  if (spec.queue_depth * transfer >= one) return spec.read_latency.seconds() + count * transfer;
  const int before = (count - 1) / spec.queue_depth;
  return before * one + spec.read_latency.seconds() + ((count - 1) % spec.queue_depth + 1) * transfer;
}

TEST(Drive, IsAsFastAsItsRateOrAsItsQueueLets) {
  EXPECT_TRUE(rc::check([] {
    const StorageSpec spec{.queue_depth = *rc::gen::inRange(1, 17),
                           .read_latency = Time::us(*rc::gen::inRange(5, 120)),
                           .read_rate = {*rc::gen::inRange(1, 8) * 1e9},
                           .read_size = Bytes{4096 * *rc::gen::inRange(1, 9)}};
    const int count = *rc::gen::inRange(1, 20) * spec.queue_depth + *rc::gen::inRange(0, 3);
    const auto bytes = static_cast<std::uint64_t>(spec.read_size.count);
    const double took = read_all(spec, {.bytes = bytes, .count = count}).words.last.seconds();
    RC_LOG() << took << " s, expected " << last_of(spec, count);
    RC_ASSERT(std::abs(took / last_of(spec, count) - 1) < 0.01);
  }));
}

TEST(SequentialRate, IsThatOfManyReads) {
  EXPECT_TRUE(rc::check([] {
    const StorageSpec spec{.queue_depth = *rc::gen::inRange(1, 300),
                           .read_latency = Time::us(*rc::gen::inRange(1, 1000)),
                           .read_rate = {*rc::gen::inRange(1, 8) * 1e9},
                           .read_size = Bytes{512 * *rc::gen::inRange(1, 300)}};
    constexpr int kMany = 1'000'000;
    const double rate = kMany * static_cast<double>(spec.read_size.count) / last_of(spec, kMany);
    RC_ASSERT(std::abs(rate / sequential_rate(spec).bytes_per_second - 1) < 0.001);
  }));
}

TEST(Drive, AnswersASingleReadAfterItsLatencyAndItsTimeOnTheInterface) {
  const StorageSpec spec{.queue_depth = 4, .read_latency = Time::us(80), .read_rate = {2e9}, .read_size = Bytes{4096}};
  const Reading reading = read_all(spec, {.bytes = 4096, .count = 1});
  EXPECT_NEAR(reading.words.last.seconds(), 80e-6 + 4096 / 2e9, 0.1e-6);
}

}  // namespace
}  // namespace isthmus::fabric
