// What may lie between root ports and memory: socket links and IOMMUs; by closed forms, and by a model that goes about
// it in another way.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <list>

#include "fabric/pcie_bench.hpp"
#include "isthmus/fabric/iommu.hpp"

namespace isthmus::fabric {
namespace {

constexpr Traffic kOneWord{.reads = 1, .read_words = 1};

HostMemorySpec with(const SocketLinkSpec& link) {
  HostMemorySpec spec = kFastMemory;
  spec.socket_link = link;
  return spec;
}

HostMemorySpec with(const IommuSpec& iommu) {
  HostMemorySpec spec = kFastMemory;
  spec.iommu = iommu;
  return spec;
}

/// A link with all that it needs for many reads of 64 bytes at once.
PcieLinkSpec wide_link() {
  PcieLinkSpec spec = f1_link();
  spec.tags = 256;
  spec.nonposted_header_credits = 127;
  return spec;
}

// ---- another socket

RC_GTEST_PROP(SocketLink, AddsItsLatencyOnceARoundTrip, ()) {
  const SocketLinkSpec spec{.hops = *rc::gen::inRange(1, 9),
                            .rate = Bandwidth::gb_per_second(*rc::gen::inRange(1, 100)),
                            .latency = Time::ps(500 * *rc::gen::inRange(2, 1000))};
  const Time without = run_link(fine_link(), kOneWord).first_word;
  RC_ASSERT(run_link(fine_link(), kOneWord, with(spec)).first_word == without + spec.round_trip());
}

TEST(SocketLink, BoundsReadsAndWritesByItsRateEachByItself) {
  PcieLinkSpec link = wide_link();
  for (const double rate : {1.0, 4.0, 9.0}) {
    const auto memory = with({.hops = 1, .rate = Bandwidth::gb_per_second(rate), .latency = Time::ns(60)});
    const LinkRun run = run_link(link, {.reads = 2000, .writes = 2000}, memory);
    EXPECT_NEAR(run.read_gbps, rate, 0.02 * rate);
    EXPECT_NEAR(run.write_gbps, rate, 0.02 * rate) << "what waits for credits at the end is done already";
    EXPECT_TRUE(run.read_back_right && run.written_right);
  }
}

TEST(SocketLink, IsSharedByTheLinksOfItsSocket) {
  constexpr double kRate = 6;
  const auto memory = with({.hops = 1, .rate = Bandwidth::gb_per_second(kRate), .latency = Time::ns(60)});
  for (const LinkRun& run : run_links(std::vector(3, LinkAndTraffic{wide_link(), {.reads = 1000}}), memory))
    EXPECT_NEAR(run.read_gbps, kRate / 3, 0.02 * kRate / 3);
}

// With few tags a round trip bounds the rate: by Little's law it tells the latency of the way under load as well.
TEST(SocketLink, CostsAsManyTagsAsItsLatencyLasts) {
  PcieLinkSpec link = f1_link();
  link.tags = 4;
  const auto round_trip = [&link](const HostMemorySpec& memory) {
    return 4 * 512 / run_link(link, {.reads = 2000}, memory).read_gbps;
  };
  const auto far = with({.hops = 2, .rate = Bandwidth::gb_per_second(100), .latency = Time::ns(100)});
  EXPECT_NEAR(round_trip(far) - round_trip(kFastMemory), 200, 4) << "ns; edges of the user clock, 4 ns each";
}

// ---- IOMMU

constexpr int kPage = 4096;

/// Translations again: pages in a list by use for each set, walkers by the time at which each is free.
class NaiveTranslations {
 public:
  explicit NaiveTranslations(const IommuSpec& spec)
      : spec_(spec), free_(static_cast<std::size_t>(spec.walks)), sets_(static_cast<std::size_t>(sets())) {}

  Time translate(std::uint64_t addr, Time came) {
    const auto page = static_cast<std::int64_t>(addr) / spec_.page.count;
    auto& set = sets_[static_cast<std::size_t>(page % sets())];
    const auto known = std::ranges::find(set, page, &std::pair<std::int64_t, Time>::first);
    if (known != set.end()) {
      set.splice(set.begin(), set, known);
      return std::max(came, known->second);
    }
    Time& walker = *std::ranges::min_element(free_);
    walker = std::max(walker, came) + spec_.walk;
    set.emplace_front(page, walker);
    if (static_cast<int>(set.size()) > spec_.ways) set.pop_back();
    return walker;
  }

 private:
  int sets() const { return spec_.entries / spec_.ways; }
  IommuSpec spec_;
  std::vector<Time> free_;
  std::vector<std::list<std::pair<std::int64_t, Time>>> sets_;  ///< used last first
};

IommuSpec any_iommu() {
  const int ways = 1 << *rc::gen::inRange(0, 4);
  return {.entries = ways << *rc::gen::inRange(0, 4),
          .ways = ways,
          .page = Bytes{*rc::gen::element(4096, 65536, 2097152)},
          .walks = *rc::gen::inRange(1, 9),
          .walk = Time::ns(*rc::gen::inRange(1, 1000))};
}

RC_GTEST_PROP(Translations, AreKnownWhenTheNaiveModelKnowsThem, ()) {
  const IommuSpec spec = any_iommu();
  Translations translations(spec);
  NaiveTranslations naive(spec);
  const std::uint64_t window = *rc::gen::element(1U << 14U, 1U << 18U, 1U << 24U);
  Time now;
  for (int i = 0; i < 200; ++i) {
    now += Time::ns(*rc::gen::inRange(0, 200));
    const std::uint64_t addr = *rc::gen::inRange<std::uint64_t>(0, window);
    RC_ASSERT(translations.translate(addr, now, [](const auto&) {}) == naive.translate(addr, now));
  }
}

IommuSpec small_pages(int entries, int walks, Time walk) {
  return {.entries = entries, .ways = std::min(entries, 4), .page = Bytes{kPage}, .walks = walks, .walk = walk};
}

// A read of a whole page is one translation: without reuse the walkers let so many pages through in a walk's time.
TEST(Iommu, BeyondItsReachWalksAtOnceOverLatencyBoundWhatComesThrough) {
  for (const int walks : {1, 2, 4, 8})
    for (const Time walk : {Time::us(2), Time::us(4)}) {
      PcieLinkSpec link = wide_link();
      link.max_read_request = Bytes{kPage};
      const auto memory = with(small_pages(16, walks, walk));
      const double bound = walks * kPage / walk.seconds() * 1e-9;
      const double alone = run_link(link, {.reads = 1200, .read_words = 64}).read_gbps;
      const LinkRun run = run_link(link, {.reads = 1200, .read_words = 64}, memory);
      EXPECT_NEAR(run.read_gbps, std::min(bound, alone), 0.04 * bound) << walks << " walks of " << to_string(walk);
      EXPECT_TRUE(run.read_back_right);
    }
}

// Posted writes hold their room until they are translated, so that credits bound how many walks there are at once.
TEST(Iommu, BeyondItsReachWritesAreBoundByWalksOrByTheCreditsThatTheyHold) {
  constexpr Time kWalk = Time::us(3);
  const PcieLinkSpec link = wide_link();
  const double room = 64 * 128 / (kWalk + link.flight + link.flight).seconds() * 1e-9;
  for (const int walks : {1, 2, 8}) {
    const double bound = std::min(walks * kPage / kWalk.seconds() * 1e-9, room);
    const LinkRun run = run_link(link, {.writes = 1200, .write_words = 64}, with(small_pages(16, walks, kWalk)));
    EXPECT_NEAR(run.write_gbps, bound, 0.03 * bound) << walks;
    EXPECT_TRUE(run.written_right);
  }
}

TEST(Iommu, SuperpagesLoseNone) {
  const Traffic traffic{.reads = 4000, .writes = 4000};
  const LinkRun without = run_link(f1_link(), traffic);
  IommuSpec superpages = small_pages(64, 4, Time::ns(250));
  superpages.page = Bytes{std::int64_t{1} << 30U};
  const LinkRun run = run_link(f1_link(), traffic, with(superpages));
  EXPECT_NEAR(run.read_gbps, without.read_gbps, 0.002 * without.read_gbps) << "the first walk is all";
  EXPECT_NEAR(run.write_gbps, without.write_gbps, 0.002 * without.write_gbps);
}

TEST(Iommu, AnAccessWhosePageIsNotKnownTakesAWalkLonger) {
  const Time without = run_link(fine_link(), kOneWord).first_word;
  for (const int ns : {10, 250, 3000})
    EXPECT_EQ(run_link(fine_link(), kOneWord, with(small_pages(8, 1, Time::ns(ns)))).first_word,
              without + Time::ns(ns));
}

TEST(Iommu, EachLinkHasItsOwn) {
  const auto memory = with(small_pages(16, 1, Time::us(2)));
  PcieLinkSpec link = wide_link();
  link.max_read_request = Bytes{kPage};
  const double bound = kPage / 2e-6 * 1e-9;
  for (const LinkRun& run : run_links(std::vector(2, LinkAndTraffic{link, {.reads = 300, .read_words = 64}}), memory))
    EXPECT_NEAR(run.read_gbps, bound, 0.02 * bound);
}

// ---- all of them

RC_GTEST_PROP(HostParts, LoseNoByteWhateverLiesOnTheWay, ()) {
  HostMemorySpec memory{Bandwidth::gb_per_second(*rc::gen::element(1.0, 70.0))};
  if (*rc::gen::arbitrary<bool>())
    memory.interleave =
        InterleaveSpec{.channels = *rc::gen::inRange(1, 9), .piece = Bytes{*rc::gen::element(64, 256, 4096)}};
  if (*rc::gen::arbitrary<bool>()) memory.iommu = any_iommu();
  if (*rc::gen::arbitrary<bool>())
    memory.socket_link = SocketLinkSpec{.hops = *rc::gen::inRange(1, 4),
                                        .rate = Bandwidth::gb_per_second(*rc::gen::inRange(1, 40)),
                                        .latency = Time::ns(*rc::gen::inRange(1, 300))};
  if (*rc::gen::arbitrary<bool>())
    memory.cache = HostCacheSpec{.size = Bytes{*rc::gen::element(1 << 12, 1 << 16)},
                                 .ways = 8,
                                 .write_ways = *rc::gen::inRange(1, 9),
                                 .hit = Time::ns(*rc::gen::inRange(1, 100)),
                                 .miss = Time::ns(*rc::gen::inRange(1, 300))};
  std::vector<LinkAndTraffic> links(*rc::gen::inRange<std::size_t>(1, 4));
  for (LinkAndTraffic& one : links) {
    one = {f1_link(), {.reads = *rc::gen::inRange(0, 40), .writes = *rc::gen::inRange(0, 40)}};
    one.traffic.read_words = *rc::gen::inRange(1, 65);
    one.link.max_read_request = Bytes{*rc::gen::element(128, 512, 4096)};
    one.link.read_completion_boundary = Bytes{*rc::gen::element(64, 128)};
  }
  for (const LinkRun& run : run_links(links, memory)) {
    RC_ASSERT(run.read_back_right && run.written_right);
    RC_ASSERT(run.report.warnings.empty());
  }
}

}  // namespace
}  // namespace isthmus::fabric
