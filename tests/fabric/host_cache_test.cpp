// The host's cache as devices find it: how long their reads take, and what it moves, against a model that keeps lists.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <list>
#include <map>

#include "fabric/pcie_bench.hpp"
#include "fabric/quiet_ends.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

HostCacheSpec cache(std::int64_t size) {
  return {.size = Bytes{size}, .ways = 8, .write_ways = 2, .hit = Time::ns(30), .miss = Time::ns(100)};
}

/// Device that writes lines and, when they are there, reads some of them back, one after the other.
struct WriteThenRead {
  Out<PcieReadReq> reads{"reads"};
  In<PcieReadResp> data{"data"};
  Out<PcieWriteApply> writes{"writes"};
  Out<PcieWriteData> write_data{"write_data"};
  In<PcieWriteDone> written{"written"};
  std::vector<std::uint64_t> to_write;
  std::vector<std::uint64_t> to_read;
  Timer timer;
  std::vector<Time> took{};
  WriteThenRead(std::vector<std::uint64_t> write, std::vector<std::uint64_t> read)
      : to_write(std::move(write)), to_read(std::move(read)) {}
  void step() {
    for (const std::uint64_t addr : to_write) {
      writes.push({.num = 1, .addr = addr});
      write_data.push({});
      written.read();
    }
    timer.wait_until(timer.now() + Time::us(10));
    for (const std::uint64_t addr : to_read) {
      const Time begin = timer.now();
      reads.push({.num = 1, .addr = addr});
      data.read();
      took.push_back(timer.now() - begin);
    }
  }
  bool done() const { return took.size() == to_read.size(); }
};

constexpr std::int64_t kLine = 64;

/// How long reads take of lines, numbered from the start of a region, after writes of others.
std::vector<Time> reads_after_writes(const HostMemorySpec& memory, std::vector<std::uint64_t> writes,
                                     std::vector<std::uint64_t> reads) {
  Graph graph;
  const PcieLinkSpec spec = fine_link();
  PcieLink link = add_pcie_link(graph, spec, memory);
  const std::uint64_t base = link.memory.allocate(Bytes{1 << 20U}).addr;
  for (auto* lines : {&writes, &reads})
    for (std::uint64_t& line : *lines) line = base + line * kLine;
  auto& device = graph.add<WriteThenRead>("device", {.clock = spec.user_clock}, writes, reads);
  graph.connect(device.reads, link.read_requests);
  graph.connect(link.read_data, device.data);
  graph.connect(device.writes, link.write_requests);
  graph.connect(device.write_data, link.write_data);
  graph.connect(link.writes_done, device.written);
  connect_quiet_ends(graph, link, spec.user_clock);
  graph.run();
  return device.took;
}

HostMemorySpec with(const HostCacheSpec& cache) {
  HostMemorySpec spec{Bandwidth::gb_per_second(20)};
  spec.cache = cache;
  return spec;
}

TEST(HostCache, ReadsThatHitAreFasterByTheDifferenceOfTheLatencies) {
  for (const int hit : {5, 30, 90})
    for (const int miss : {90, 400}) {
      HostCacheSpec spec = cache(1 << 20U);
      spec.hit = Time::ns(hit);
      spec.miss = Time::ns(miss);
      const auto took = reads_after_writes(with(spec), {0, 1, 2}, {1, 7, 2, 8});
      EXPECT_EQ(took[1] - took[0], Time::ns(miss - hit));
      EXPECT_EQ(took[3] - took[2], Time::ns(miss - hit));
    }
}

TEST(HostCache, AMissOfTheMemorysLatencyTakesAsLongAsWithoutACacheBesidesItsBytes) {
  HostMemorySpec plain{Bandwidth::gb_per_second(1000)};
  HostMemorySpec cached = plain;
  cached.cache = cache(1 << 20U);
  cached.cache->miss = plain.latency;
  const Time without = reads_after_writes(plain, {}, {5})[0];
  EXPECT_LE(without - reads_after_writes(cached, {}, {5})[0], Time::ps(500)) << "64 B at 1000 GB/s";
}

// The cache again: a list of lines by use for each way of putting them.
class NaiveCache {
 public:
  explicit NaiveCache(const HostCacheSpec& spec) : spec_(spec) {}

  bool holds(std::uint64_t line) {
    auto& set = set_of(line);
    const auto found = std::ranges::find(set, line);
    if (found == set.end()) return false;
    set.splice(set.begin(), set, found);
    return true;
  }
  /// The lines that make way.
  int write(std::uint64_t line) {
    if (holds(line)) return 0;
    auto& set = set_of(line);
    set.push_front(line);
    if (static_cast<int>(set.size()) <= spec_.write_ways) return 0;
    set.pop_back();
    return 1;
  }

 private:
  std::list<std::uint64_t>& set_of(std::uint64_t line) {
    return sets_[line % static_cast<std::uint64_t>(spec_.size.count / (spec_.line.count * spec_.ways))];
  }
  HostCacheSpec spec_;
  std::map<std::uint64_t, std::list<std::uint64_t>> sets_;
};

RC_GTEST_PROP(HostCache, HoldsAndMovesWhatTheNaiveModelDoes, ()) {
  const int ways = *rc::gen::inRange(1, 9);
  const HostCacheSpec spec{.size = Bytes{kLine * ways * *rc::gen::inRange(1, 20)},
                           .ways = ways,
                           .write_ways = *rc::gen::inRange(1, ways + 1),
                           .hit = Time::ns(1),
                           .miss = Time::ns(2)};
  HostCache lines(spec);
  NaiveCache naive(spec);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t addr = *rc::gen::inRange<std::uint64_t>(0, 100 * kLine);
    const std::int64_t bytes = *rc::gen::inRange<std::int64_t>(1, 600);
    const bool write = *rc::gen::arbitrary<bool>();
    std::int64_t moved = 0;
    for (std::uint64_t line = addr / kLine; line * kLine < addr + static_cast<std::uint64_t>(bytes); ++line) {
      const std::uint64_t begin = std::max(addr, line * kLine);
      const std::uint64_t end = std::min(addr + static_cast<std::uint64_t>(bytes), (line + 1) * kLine);
      if (write)
        moved += naive.write(line) * kLine;
      else
        moved += naive.holds(line) ? 0 : static_cast<std::int64_t>(end - begin);
    }
    RC_ASSERT((write ? lines.write(addr, bytes) : lines.read(addr, bytes)) == moved);
  }
}

TEST(HostCache, WhatDevicesWriteBeyondTheirShareGoesToMemory) {
  constexpr double kMemory = 4;  // GB/s
  HostMemorySpec memory{Bandwidth::gb_per_second(kMemory)};
  memory.cache = cache(64 << 20U);
  const Traffic traffic{.writes = 4000};
  const double fits = run_link(f1_link(), traffic, memory).write_gbps;
  EXPECT_NEAR(fits, run_link(f1_link(), traffic).write_gbps, 0.01 * fits) << "of 16 MiB for writes 4 are written";
  memory.cache = cache(64 << 10U);
  EXPECT_NEAR(run_link(f1_link(), traffic, memory).write_gbps, kMemory, 0.02 * kMemory);
}

TEST(HostCache, RefusesLessThanASet) {
  EXPECT_THAT([] { HostCache{cache(511)}; }, ThrowsMessage<Error>(HasSubstr("expected at least 512 B")));
}

}  // namespace
}  // namespace isthmus::fabric
