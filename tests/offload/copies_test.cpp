// Copies by host threads: at their own rate alone, and never faster together than the memory.
#include "offload/copies.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::offload {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

std::unique_ptr<ModelDevice> open_copying(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), "host.alloc.enabled=false");
  return open_model(platform::load(platform::file_of("model:aws-f1"), overrides), {});
}

const platform::Part& part(const ModelDevice& device, const std::string& name) {
  return *std::ranges::find(device.parts(), name, &platform::Part::name);
}

/// So many threads write `size` bytes each at once, to one board.
void write_at_once(ModelDevice& device, int threads, std::size_t size) {
  std::deque<Copies> copies;
  std::vector<HostThread> bodies;
  for (int i = 0; i < threads; ++i)
    bodies.push_back({"thread " + std::to_string(i), [&each = copies.emplace_back(device, size)] { each.write(); }});
  device.run(std::move(bodies));
}

/// How long the copy of one write of `size` takes.
Time copy_time(ModelDevice& device, std::size_t size) {
  write_at_once(device, 1, size);
  Time sum;
  for (const platform::Held& held : device.path())
    if (held.part == "host copy thread") sum += held.time;
  return sum;
}

TEST(HostCopies, OfOneThreadTakeTheirRateToTheFemtosecond) {
  EXPECT_TRUE(rc::check([] {
    const int tenths = *rc::gen::inRange(5, 300);
    const auto size = *rc::gen::inRange<std::size_t>(1, 300'000);
    const double rate = tenths * 1e8;
    const auto device = open_copying({"host.copy.rate=" + std::to_string(tenths) + "00MB/s"});
    RC_ASSERT(copy_time(*device, size) == transfer_time({static_cast<std::int64_t>(size)}, {rate}));
  }));
}

TEST(HostCopies, OfSeveralThreadsNeverExceedTheMemory) {
  EXPECT_TRUE(rc::check([] {
    const int threads = *rc::gen::inRange(1, 9);
    const int tenths = *rc::gen::inRange(5, 300);
    const int channels = *rc::gen::inRange(1, 5);
    const auto size = *rc::gen::inRange<std::size_t>(20'000, 100'000);
    std::vector<std::string> overrides{"host.copy.rate=" + std::to_string(tenths) + "00MB/s",
                                       "host.memory.transfer_rate=1000",
                                       "host.memory.channels=" + std::to_string(channels)};
    if (*rc::gen::arbitrary<bool>()) overrides.emplace_back("host.memory.interleave=256B");
    const auto device = open_copying(overrides);
    const double memory = channels * 8e9;  // B/s
    write_at_once(*device, threads, size);
    // A copy reads and writes; what is copied then crosses the link.
    const double moved = 3.0 * threads * static_cast<double>(size);
    RC_ASSERT(device->last_run().seconds() > moved / memory);
    RC_ASSERT(part(*device, "host memory").busy.seconds() * memory > moved * 0.999);
  }));
}

TEST(HostCopies, OfSeveralThreadsShareTheMemoryEqually) {
  // Each thread alone would take 20 of the memory's 8 GB/s.
  const std::vector<std::string> overrides{"host.copy.rate=10GB/s", "host.memory.transfer_rate=1000",
                                           "host.memory.channels=1"};
  const double one = copy_time(*open_copying(overrides), 1 << 20).seconds();
  EXPECT_NEAR(one, 2.0 * (1 << 20) / 8e9, 0.01 * one);
  const auto device = open_copying(overrides);
  write_at_once(*device, 4, 1 << 20);
  // All four copies go on together until all have ended: the first transfer finds them done.
  const double first_ends = 4 * one;
  EXPECT_GT(device->last_run().seconds(), first_ends);
  EXPECT_LT(part(*device, "host copy thread").busy.seconds(), 0.5 * first_ends) << "a copy waits for the memory";
}

TEST(HostCopies, ThatFitACacheTakeItsRateAndLeaveTheMemoryAlone) {
  const auto plain = open_copying({});
  const auto cached = open_copying({"host.copy.cached_rate=20GB/s", "host.copy.cached_size=1MiB"});
  EXPECT_EQ(copy_time(*cached, 1 << 20), transfer_time({1 << 20}, {20e9}));
  EXPECT_EQ(copy_time(*cached, (1 << 20) + 64), copy_time(*plain, (1 << 20) + 64));
  copy_time(*plain, 1 << 20);
  const Time with = part(*plain, "host memory").busy;
  copy_time(*cached, 1 << 20);
  const Time without = part(*cached, "host memory").busy;
  const double memory = 4 * 2.133e9 * 8;
  EXPECT_NEAR((with - without).seconds(), 2.0 * (1 << 20) / memory, 1e-9);
}

TEST(HostCopies, NeedASizeBesideARateOfTheCache) {
  for (const char* alone : {"host.copy.cached_rate=20GB/s", "host.copy.cached_size=1MiB"})
    EXPECT_THAT([&] { open_copying({alone}); },
                ThrowsMessage<Error>(StartsWith("--set: keys 'host.copy.cached_rate' and 'host.copy.cached_size': "
                                                "expected both or neither, got one")));
  EXPECT_THAT(
      [] {
        open_copying({"host.copy.cached_rate=1GB/s", "host.copy.cached_size=1MiB"});
      },
      ThrowsMessage<Error>(HasSubstr("host.copy.cached_rate")));
}

/// How long a blocking write or read of `size` takes, with the bytes compared.
Time transfer(ModelDevice& device, std::size_t size, bool to_host, unsigned seed) {
  Copies copies(device, size, seed);
  Time written;
  Time read;
  device.run({{"host", [&] {
                 const Moment start = device.now();
                 copies.write();
                 written = device.now() - start;
                 copies.read();
                 read = device.now() - start - written;
               }}});
  if (copies.back != copies.sent) throw Error("bytes came back changed");
  return to_host ? read : written;
}

const std::vector<std::string> kChunked{"host.runtime.staging=chunked", "host.runtime.chunk=256KiB"};

TEST(ChunkedStaging, KeepsTheBytesWhateverTheSizeAndTheChunk) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 200'000);
    const auto chunk = *rc::gen::inRange(4096, 100'000);
    const auto payload = *rc::gen::element(4, 16, 64);
    const auto device =
        open_copying({"host.runtime.staging=chunked", "host.runtime.chunk=" + std::to_string(chunk) + "B",
                      "dma.descriptor_payload=" + std::to_string(payload) + "KiB"});
    transfer(*device, size, false, *rc::gen::arbitrary<unsigned>());
  }));
}

TEST(ChunkedStaging, OfWhatFitsAChunkIsAsWithout) {
  for (const bool to_host : {false, true})
    EXPECT_EQ(transfer(*open_copying(kChunked), 256 * 1024, to_host, 1),
              transfer(*open_copying({}), 256 * 1024, to_host, 1));
}

TEST(ChunkedStaging, HidesTheWireBehindTheCopyButForOneChunk) {
  constexpr std::size_t kSize = 8 << 20;
  constexpr std::size_t kChunk = 256 * 1024;
  for (const bool to_host : {false, true}) {
    const double whole = transfer(*open_copying({}), kSize, to_host, 2).seconds();
    const double one = transfer(*open_copying({}), kChunk, to_host, 2).seconds();
    const double chunked = transfer(*open_copying(kChunked), kSize, to_host, 2).seconds();
    const double copy_of_all = static_cast<double>(kSize) / 3.31e9;
    const double copy_of_one = static_cast<double>(kChunk) / 3.31e9;
    // The copies follow each other without a gap; before or behind them the wire has one chunk for itself.
    EXPECT_NEAR(chunked, one - copy_of_one + copy_of_all, 0.01 * chunked);
    EXPECT_LT(chunked, 0.85 * whole);
  }
}

TEST(ChunkedStaging, HidesTheCopyBehindAWireThatIsSlower) {
  constexpr std::size_t kSize = 4 << 20;
  std::vector<std::string> overrides = kChunked;
  const std::vector<std::string> slow{"host.copy.rate=20GB/s", "link.pcie.lanes=1"};
  overrides.insert(overrides.end(), slow.begin(), slow.end());
  const double whole = transfer(*open_copying(slow), kSize, false, 3).seconds();
  const double chunked = transfer(*open_copying(overrides), kSize, false, 3).seconds();
  const double copies_hidden = static_cast<double>(kSize - 256 * 1024) / 20e9;
  // Each chunk but the last is waited for: its interrupt and the next doorbell, some microseconds.
  EXPECT_NEAR(chunked, whole - copies_hidden, 0.02 * whole);
}

TEST(ChunkedStaging, NeedsNoAllocation) {
  const auto device = open_model(platform::load(platform::file_of("model:alpha-data-7v3"), kChunked), {});
  transfer(*device, 1 << 20, false, 4);
  EXPECT_THAT(device->parts(),
              testing::Not(testing::Contains(testing::Field(&platform::Part::name, "pinned allocation"))));
}

}  // namespace
}  // namespace isthmus::offload
