#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <utility>

#include "cluster/single_rank.hpp"
#include "hpcc/numbers_probe.hpp"
#include "hpcc/random_numbers.hpp"
#include "hpcc/run_conditions.hpp"
#include "hpcc/small_runs.hpp"
#include "isthmus/hpcc/run.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

Request small(const char* variant, const std::vector<std::string>& overrides = {}) {
  return Shape{variant}.request("random_access", {"TABLE_SIZE_LOG=14"}, overrides);
}

TEST(RandomNumbers, JumpingAheadGivesWhatSteppingGives) {
  std::uint64_t number = number_at(0);
  EXPECT_EQ(number, 1U);
  for (std::uint64_t index = 1; index < 10'000; ++index) {
    number = next_number(number);
    ASSERT_EQ(number_at(index), number) << index;
  }
  for (const std::uint64_t far : {std::uint64_t{1} << 40U, (std::uint64_t{1} << 62U) + 12345})
    EXPECT_EQ(number_at(far + 1), next_number(number_at(far)));
}

TEST(RandomAccess, NoUpdateIsLostByAtomicsOrByOneWorkItemThatLoadsOneWord) {
  for (const Request& request :
       {small("ndrange", {"NUM_REPLICATIONS=4"}),
        small("ndrange", {"NUM_REPLICATIONS=2", "HPCC_FPGA_RA_RNG_COUNT_LOG=13"}),
        small("ndrange", {"HPCC_FPGA_RA_RNG_COUNT_LOG=13"}), small("single"),
        small("single", {"NUM_REPLICATIONS=2", "HPCC_FPGA_RA_RNG_COUNT_LOG=5", "HPCC_FPGA_RA_RNG_DISTANCE=5"})}) {
    const Outcome done = run(request, cluster::alone());
    EXPECT_EQ(done.validation.error, 0);
    EXPECT_TRUE(done.validation.passed());
  }
}

/// The words that are wrong when each is stored just before the `window`th load after its own.
double lost_words(std::uint64_t words, std::uint64_t window) {
  struct Update {
    std::uint64_t at;
    std::uint64_t value;
  };
  std::vector<std::uint64_t> right(words);
  std::vector<std::uint64_t> table(words);
  std::deque<Update> under_way;
  const auto land = [&] {
    table[under_way.front().at] = under_way.front().value;
    under_way.pop_front();
  };
  std::uint64_t number = 1;
  for (std::uint64_t done = 0; done < 4 * words; ++done) {
    number = next_number(number);
    const std::uint64_t at = number % words;
    if (under_way.size() == window) land();
    under_way.push_back({at, table[at] ^ number});
    right[at] ^= number;
  }
  while (!under_way.empty()) land();
  double wrong = 0;
  for (std::uint64_t at = 0; at < words; ++at) wrong += table[at] != right[at] ? 1 : 0;
  return wrong;
}

TEST(RandomAccess, ABufferOfLoadedWordsLosesUpdatesAndEveryOneIsCounted) {
  const Outcome done = run(
      small("single", {"HPCC_FPGA_RA_DEVICE_BUFFER_SIZE_LOG=6", "HPCC_FPGA_RA_RNG_COUNT_LOG=0", "TABLE_SIZE_LOG=12"}),
      cluster::alone());
  EXPECT_GT(lost_words(4096, 64), 0);
  EXPECT_EQ(done.validation.error * 4096, lost_words(4096, 64));
}

/// The first of so many ranks, each on a host of its own, of which the others keep still.
class OneOfMany final : public cluster::SingleRank {
 public:
  explicit OneOfMany(int size) : size_(size) {}
  int size() const override { return size_; }
  void exchange(std::span<const std::byte>, int, std::span<std::byte>, int) override {}

 private:
  int size_;
};

TEST(RandomAccess, OfManyRanksIsExpectedToMakeTheNumbersOfAll) {
  // The rank has as many words in both runs.
  const Outcome alone = run(small("ndrange", {"TABLE_SIZE_LOG=16"}), cluster::alone());
  const Outcome among = run(small("ndrange", {"TABLE_SIZE_LOG=24"}), cluster::Ranks(std::make_shared<OneOfMany>(256)));
  EXPECT_EQ(alone.working_set, among.working_set);
  EXPECT_TRUE(among.validation.passed());
  const auto expected = [](const Outcome& done) { return done.results.front().expected.value().value; };
  EXPECT_LT(expected(among), expected(alone) / 4);
}

TEST(NumbersProbe, HoldsEachNumberAgainstTheWordsOfTheRank) {
  const std::shared_ptr<offload::Device> device = offload::open_opencl("opencl:0");
  const RunConditions conditions{.device = device->properties()};
  const Parameters parameters(entry_of("random_access").parameters(conditions), {});
  Job job("random_access",
          {.device = device, .ranks = cluster::alone(), .conditions = conditions, .parameters = parameters});
  constexpr std::uint64_t kWords = 1 << 10;
  constexpr std::uint64_t kCount = 1000;
  constexpr std::size_t kItems = 3;
  constexpr std::uint64_t kChains = 4;
  for (const auto& [option, lanes] : {std::pair{"-DPROBE_ON_CPU=1", 8U}, {"-DPROBE_ON_CPU=0", 1U}}) {
    const auto kernel = job.own_program("probe_numbers", option)->kernel("probe_numbers");
    const auto buffer = device->buffer(kItems * sizeof(std::uint64_t));
    const std::uint64_t first = 300;
    const std::uint64_t size = 128;
    job.queue().launch(kernel, {.global = {kItems, 1, 1}}, {&buffer, kCount, kWords - 1, first, size});
    std::vector<std::uint64_t> found(kItems);
    job.queue().read(buffer, 0, offload::bytes_of(found));
    std::uint64_t start = 0;
    for (const std::uint64_t each : found) {
      std::uint64_t wanted = 0;
      for (std::uint64_t generator = 0; generator < kChains * lanes; ++generator) {
        std::uint64_t number = ++start * 0x9e3779b97f4a7c15U;
        for (std::uint64_t turn = 0; turn < kCount; ++turn) {
          number = next_number(number);
          wanted += number % kWords >= first && number % kWords < first + size ? 1 : 0;
        }
      }
      EXPECT_EQ(each, wanted) << option;
    }
  }
}

// Work-items that are stopped between load and store lose the same few words of any table: a large one holds more
// others.
constexpr const char* kLargeTable = "TABLE_SIZE_LOG=20";

TEST(RandomAccess, PlainUpdatesMayLoseOneInAHundred) {
  const Outcome done = run(small("ndrange", {"ATOMIC=0", kLargeTable}), cluster::alone());
  EXPECT_EQ(done.validation.limit, 0.01);
  EXPECT_TRUE(done.validation.passed());
}

TEST(RandomAccess, TwoPercentOfTheWordsAreCaught) {
  const KernelWithAFault kernel(kShapes[1].file("random_access"), R"(
    if (get_global_id(0) == 0) for (ulong k = 0; k < size; k += 50) table[k] ^= 4096UL;)");
  for (const char* atomic : {"ATOMIC=1", "ATOMIC=0"}) {
    Request request = small("ndrange", {atomic, kLargeTable});
    request.kernel_file = kernel.file();
    const Outcome done = run(request, cluster::alone());
    EXPECT_NEAR(done.validation.error, 0.02, 0.01);
    EXPECT_FALSE(done.validation.passed());
  }
}

TEST(RandomAccess, WhatDoesNotGoTogetherIsRefused) {
  expect_refused(small("single", {"ATOMIC=1"}),
                 "--set ATOMIC: expected 0 (the single-work-item kernel has no atomic updates), got '1'");
  expect_refused(small("ndrange", {"HPCC_FPGA_RA_RNG_COUNT_LOG=2"}), "expected at least 3");
  expect_refused(small("ndrange", {"HPCC_FPGA_RA_RNG_COUNT_LOG=15"}), "TABLE_SIZE_LOG=14: expected at least one word");
  expect_refused(small("ndrange", {"TABLE_SIZE_LOG=39"}), "TABLE_SIZE_LOG=39: needs 8796093022208 bytes of memory");
}

}  // namespace
}  // namespace isthmus::hpcc
