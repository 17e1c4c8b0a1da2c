// Look-ups in device memory: every flow against std::unordered_map, and the model's rates against closed forms.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/hash_lookup/look_ups.hpp"
#include "apps/hash_lookup/table.hpp"
#include "apps/installed.hpp"
#include "base/temporary_folder.hpp"
#include "engine/plain_actors.hpp"
#include "flows/ran.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/random.hpp"
#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/platform/board.hpp"

namespace isthmus::apps {
namespace {

using program::ByteApplication;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kF1 = "model:aws-f1";

ByteApplication hash_lookup(const Chosen& chosen) {
  return installed("hash-lookup", chosen);
}

ByteApplication opened(const Chosen& chosen, int messages, std::uint64_t seed = 1) {
  ByteApplication application = hash_lookup(chosen);
  application.extras.open({.count = messages, .seed = seed, .note = [](const std::string&) {}});
  return application;
}

struct Ran : program::Ran {
  double per_second = 0;  ///< look-ups
};

Ran run(const std::string& target, const std::string& flow, const ByteApplication& application, int messages,
        const std::vector<std::string>& overrides = {}) {
  Ran result{program::ran(target, overrides, {.application = application, .flow = flow, .count = messages})};
  result.per_second = messages * static_cast<double>(application.extras.in_message) / result.seconds();
  return result;
}

Ran stream(const Chosen& chosen, int messages, const std::vector<std::string>& overrides = {}) {
  Ran ran = run(kF1, "stream", opened(chosen, messages), messages, overrides);
  EXPECT_FALSE(ran.run.difference);
  return ran;
}

struct Case {
  const char* target;
  std::vector<std::string> flows;
};

class HashLookup : public testing::TestWithParam<Case> {};

TEST_P(HashLookup, GivesWhatAnUnorderedMapGivesInEachFlow) {
  const TemporaryFolder folder;
  const std::string text = folder.written("words.txt", "the cat and the dog and a third one sat on the mat\n");
  const std::vector<Chosen> all{{{"lambda", 1}},
                                {{"lambda", 2}, {"keys", "zipf"}},
                                {{"lambda", 3}, {"batch", 8}},
                                {{"lambda", 3}, {"depth", 1}},
                                {{"lambda", 2}, {"input", text}, {"batch", 64}}};
  for (Chosen chosen : all) {
    chosen.insert({{"table", 1}, {"batch", 512}});
    const ByteApplication application = opened(chosen, 5);
    EXPECT_EQ(program::open_target(GetParam().target, {})->flows(application), GetParam().flows);
    for (const std::string& flow : GetParam().flows)
      EXPECT_FALSE(run(GetParam().target, flow, application, 5).run.difference) << flow;
  }
}

/// The check can say no.
TEST_P(HashLookup, AnEntryThatHoldsAnotherValueIsFound) {
  for (const std::string& flow : GetParam().flows) {
    ByteApplication application = opened({{"table", 1}, {"lambda", 2}, {"batch", 512}}, 5);
    const auto right = application.extras.memory->fill;
    std::vector<Key> keys(512);
    application.fill(3, std::as_writable_bytes(std::span(keys)));
    application.extras.memory->fill = [&](std::uint64_t offset, std::span<std::byte> stretch) {
      right(offset, stretch);
      for (std::size_t at = 0; at < stretch.size(); at += sizeof(TableEntry)) {
        auto& entry = *reinterpret_cast<TableEntry*>(stretch.data() + at);
        if (entry.key == keys[77]) entry.value ^= 4;
      }
    };
    const auto difference = run(GetParam().target, flow, application, 5).run.difference;
    ASSERT_TRUE(difference) << flow;
    EXPECT_LE(difference->message, 3);
    EXPECT_GE(difference->elements, 1);
    EXPECT_LE(difference->elements, 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, HashLookup,
                         testing::Values(Case{kF1, {"offload", "overlap", "stream"}},
                                         Case{"opencl:0", {"offload", "overlap"}}, Case{"native", {"stream"}}));

/// Asks for words at random places, as many under way as the port takes.
struct RandomReader {
  Out<DramReadReq> requests{"requests"};
  Random random;
  std::uint64_t words;
  int left;
  RandomReader(std::uint64_t of_words, int reads) : words(of_words), left(reads) {}
  void step() {
    requests.push({.num = 1, .addr = random.below(words) * kWordBytes});
    --left;
  }
  bool done() const { return left == 0; }
};

/// The rate at which F1's memory serves random words, whoever asks.
double random_rate(std::uint64_t bytes) {
  constexpr int kReads = 200'000;
  const platform::Description board = platform::load(platform::file_of(kF1), {});
  const platform::BoardSpec spec = platform::board_spec(board);
  fabric::DeviceMemory memory = platform::device_memory(spec);
  memory.take({static_cast<std::int64_t>(bytes)});
  Graph graph;
  platform::Board fpga(graph, {.host = {}, .links = {}, .memory = spec.memory}, memory);
  const Clock clock{Frequency::mhz(500)};
  auto& reader = graph.add<RandomReader>("reader", {.clock = clock}, bytes / kWordBytes, kReads);
  auto& sink = graph.add<Drain<DramReadResp>>("sink", {.clock = clock});
  const platform::DramReadEnds ends =
      fpga.add_streaming_reader({.name = "random", .clock = clock, .outstanding = 1024});
  fpga.connect_memory();
  graph.connect(reader.requests, ends.requests);
  graph.connect(ends.words, sink.in);
  return kReads / graph.run().end.seconds();
}

TEST(HashLookupOnF1, DecoupledMakesAsManyLookUpsAsMemoryServesRandomReadsOverLambda) {
  const double rate = random_rate(std::uint64_t{16} << 20U);
  for (const int lambda : {1, 2, 3}) {
    const ByteApplication application = opened({{"table", 16}, {"lambda", lambda}}, 40);
    const double accesses = application.extras.told().front().second;
    EXPECT_NEAR(accesses, lambda, 0.01);
    EXPECT_NEAR(run(kF1, "stream", application, 40).per_second * accesses / rate, 1, 0.05) << lambda;
  }
}

TEST(HashLookupOnF1, HalfTheKernelsClockChangesNothing) {
  const Chosen chosen{{"table", 16}};
  EXPECT_NEAR(stream(chosen, 40, {"kernel.clock=125MHz"}).per_second / stream(chosen, 40).per_second, 1, 0.01);
}

TEST(HashLookupOnF1, TwiceTheLookUpsTakeTwiceTheTime) {
  const Chosen chosen{{"table", 16}, {"lambda", 2}};
  EXPECT_NEAR(stream(chosen, 60).per_second / stream(chosen, 120).per_second, 1, 0.02);
}

TEST(HashLookupOnF1, FewAccessesUnderWayGiveTheRateOfLittlesLaw) {
  for (const int depth : {1, 4, 16}) {
    const Ran ran = stream({{"table", 16}, {"depth", depth}}, 20);
    const auto& window = ran.part("table's bursts under way").at("window");
    EXPECT_EQ(window.at("size"), depth);
    EXPECT_NEAR(ran.per_second * window.at("round_trip_s").get<double>() / depth, 1, 0.03) << depth;
  }
}

TEST(HashLookupOnF1, WithoutTheWindowThatIsNamedMemoryIsTheLimit) {
  const auto limit = [](const Ran& ran) { return ran.row.at("bottleneck").at("part").get<std::string>(); };
  const Ran few = stream({{"table", 16}, {"depth", 8}}, 20);
  EXPECT_EQ(limit(few), "table's bursts under way");
  const Ran enough = stream({{"table", 16}}, 40);
  EXPECT_EQ(limit(enough), platform::kDram);
  EXPECT_GT(enough.per_second, 4 * few.per_second);
}

TEST(HashLookupOnF1, OneAccessAtATimeTakesTheLatencyOfEach) {
  // Registers between kernel and port, a row that was open before (tRP), refreshes, the kernel's clock.
  constexpr double kBeside = 50e-9;
  for (const auto& [overrides, latency] : std::map<std::vector<std::string>, double>{
           {{}, 561e-9}, {{"device.axi.latency=0ns"}, 200e-9}, {{"device.axi.latency=1us"}, 1200e-9}})
    for (const int lambda : {1, 3}) {
      const int look_ups = 4 * 4096;
      const Ran ran = run(kF1, "offload", opened({{"table", 16}, {"lambda", lambda}}, 4), 4, overrides);
      const double each = ran.run.times.stages.at(1).time.seconds() / look_ups / lambda;
      EXPECT_GT(each, latency);
      EXPECT_LT(each, latency + kBeside);
    }
}

TEST(HashLookupOnF1, EqualSeedsGiveEqualRecordsAndOthersOtherKeys) {
  const auto told = [](std::uint64_t seed) {
    const Ran ran = run(kF1, "stream", opened({{"table", 1}, {"lambda", 2}}, 4, seed), 4);
    return std::pair(ran.row.dump(), ran.run.times.elapsed);
  };
  EXPECT_EQ(told(7), told(7));
  EXPECT_NE(told(7).second, told(8).second);
}

TEST(HashLookupOnBoards, ABoardWithoutMemoryIsRefusedInOneLine) {
  const ByteApplication application = hash_lookup({});
  EXPECT_THAT([&] { program::open_target("model:xeon-fpga-v1", {})->require_flow(application, "stream"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("flow 'stream': expected a board with"), HasSubstr("dram"))));
  EXPECT_THAT([&] { program::open_target(kF1, {})->require_flow(application, "shared"); },
              ThrowsMessage<Error>(HasSubstr("'hash-lookup' has no flow 'shared'")));
}

TEST(HashLookupMaker, RefusesMessagesThatAreNoWholeWordsAndTextsWithoutWords) {
  EXPECT_THAT([] { hash_lookup({{"batch", 12}}); }, ThrowsMessage<Error>(HasSubstr("batch: expected a multiple of 8")));
  const TemporaryFolder folder;
  const auto of_words = [](const std::string& file) { hash_lookup({{"input", file}}); };
  EXPECT_THAT([&] { of_words(folder.written("empty.txt", " \n")); },
              ThrowsMessage<Error>(HasSubstr("empty.txt: expected words, got none")));
  EXPECT_THAT([&] { of_words(folder / "not-there.txt"); },
              ThrowsMessage<Error>(HasSubstr("not-there.txt: cannot be read")));
}

std::vector<TableEntry> whole(const EvenTable& table) {
  std::vector<TableEntry> entries(table.pairs());
  table.write(0, std::as_writable_bytes(std::span(entries)));
  return entries;
}

/// The value of `key`, and how many entries were read for it.
std::pair<Value, int> walk(std::span<const TableEntry> entries, std::uint64_t buckets, Key key) {
  int read = 1;
  for (std::uint64_t at = bucket_of(key, buckets);; ++read) {
    if (entries[at].key == key) return {entries[at].value, read};
    if (entries[at].next == TableEntry::kLast) return {kAbsent, read};
    at = entries[at].next;
  }
}

RC_GTEST_PROP(EvenTable, HoldsEachPairAtItsPlaceInItsChain, ()) {
  const auto size = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const int lambda = *rc::gen::inRange(1, 4);
  const EvenTable table(size, lambda, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(table.pairs() >= size);
  const std::vector<TableEntry> entries = whole(table);
  std::uint64_t read = 0;
  for (std::uint64_t number = 0; number < table.pairs(); ++number) {
    const Pair pair = table.pair(number);
    RC_ASSERT(walk(entries, table.buckets(), pair.key) == std::pair(pair.value, table.accesses(number)));
    read += static_cast<std::uint64_t>(table.accesses(number));
  }
  RC_ASSERT(read == table.pairs() * static_cast<std::uint64_t>(lambda));
}

RC_GTEST_PROP(EvenTable, AStretchIsTheSameAsInTheWhole, ()) {
  const EvenTable table(*rc::gen::inRange<std::uint64_t>(1, 2000), *rc::gen::inRange(1, 4), 3);
  const std::vector<TableEntry> entries = whole(table);
  const auto from = *rc::gen::inRange<std::uint64_t>(0, table.pairs());
  const auto count = *rc::gen::inRange<std::uint64_t>(1, table.pairs() - from + 1);
  std::vector<TableEntry> stretch(count);
  table.write(from * sizeof(TableEntry), std::as_writable_bytes(std::span(stretch)));
  RC_ASSERT(
      std::ranges::equal(std::as_bytes(std::span(stretch)), std::as_bytes(std::span(entries).subspan(from, count))));
}

RC_GTEST_PROP(ChainedTable, GivesWhatAnUnorderedMapGivesOfKeysThatAreThereAndOthers, ()) {
  const auto keys = *rc::gen::unique<std::vector<Key>>(rc::gen::arbitrary<Key>());
  std::unordered_map<Key, Value> map;
  std::vector<Pair> pairs;
  for (const Key key : keys) {
    pairs.push_back({.key = key, .value = map.size() + 1});
    map.emplace(key, pairs.back().value);
  }
  const ChainedTable table(pairs, *rc::gen::inRange(1, 4));
  auto asked = keys;
  for (Key i = 0; i < 50; ++i) asked.push_back(mixed(i));
  asked.push_back(0);
  for (const Key key : asked) {
    const auto found = map.find(key);
    const auto [value, read] = walk(table.entries(), table.buckets(), key);
    RC_ASSERT(value == (found == map.end() ? kAbsent : found->second));
    RC_ASSERT(read == table.accesses(key));
  }
}

TEST(ChainedTable, ManyKeysTakeAboutLambdaAccesses) {
  std::vector<Pair> pairs;
  for (Key i = 0; i < 20'000; ++i) pairs.push_back({.key = mixed(i), .value = i + 1});
  for (const int lambda : {1, 2, 3}) {
    const ChainedTable table(pairs, lambda);
    double read = 0;
    for (const Pair& pair : pairs) read += table.accesses(pair.key);
    EXPECT_NEAR(read / static_cast<double>(pairs.size()), lambda, 0.1);
  }
}

TEST(Zipf, DrawsEachOfTheFirstNumbersWithItsShare) {
  constexpr std::uint64_t kItems = 1000;
  constexpr int kDraws = 1'000'000;
  double zeta = 0;
  for (std::uint64_t k = 1; k <= kItems; ++k) zeta += std::pow(static_cast<double>(k), -Zipf::kTheta);
  const Zipf zipf(kItems);
  std::vector<int> drawn(kItems);
  for (int i = 0; i < kDraws; ++i) ++drawn.at(zipf.number((i + 0.5) / kDraws));
  // The first two exactly; behind them the method is an approximation.
  EXPECT_NEAR(drawn[0] / (kDraws / zeta), 1, 0.001);
  EXPECT_NEAR(drawn[1] / (kDraws / zeta * std::pow(2.0, -Zipf::kTheta)), 1, 0.001);
  double ours = 0;
  double theirs = 0;
  for (std::size_t k = 0; k < 100; ++k) {
    ours += static_cast<double>(drawn[k]) / kDraws;
    theirs += std::pow(static_cast<double>(k + 1), -Zipf::kTheta) / zeta;
  }
  EXPECT_NEAR(ours / theirs, 1, 0.05);
}

TEST(Zipf, OfFewItemsStaysBelowThem) {
  for (const std::uint64_t items : {1, 2, 3, 4})
    for (const double u : {0.0, 0.3, 0.6, 0.999999999}) EXPECT_LT(Zipf(items).number(u), items);
}

}  // namespace
}  // namespace isthmus::apps
