#include "isthmus/platform/description.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/json.hpp"
#include "platform/fixture.hpp"

namespace isthmus::platform::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Boards, AllLoad) {
  EXPECT_THAT(names(), ::testing::ElementsAre("agilex-7", "alpha-data-7v3", "alveo-u250", "alveo-u55c", "alveo-v80",
                                              "aws-f1", "ibm-capi", "kv260", "stratix-v", "vck5000", "xeon-fpga-v1",
                                              "xeon-fpga-v2", "zynq-ultrascale"));
  for (const std::string& name : names()) EXPECT_NO_THROW(load(file_of("model:" + name))) << name;
}

TEST(Boards, CarryWhatTheirPaperTableSays) {
  const Description f1_board = load(file_of("model:aws-f1"));
  EXPECT_EQ(f1_board.name(), "Amazon EC2 F1");
  EXPECT_EQ(f1_board.count("link.pcie.lanes"), 16);
  EXPECT_EQ(f1_board.frequency("kernel.clock"), Frequency::mhz(250));
  EXPECT_EQ(f1_board.bytes("device.axi.data_width").count, 64);
  EXPECT_EQ(f1_board.time("host.call.transfer"), Time::us(127));
  EXPECT_FALSE(f1_board.flag("hypervisor.enabled"));
  const Description alpha_data = load(file_of("model:alpha-data-7v3"));
  EXPECT_EQ(alpha_data.count("link.pcie.lanes"), 8);
  EXPECT_EQ(alpha_data.frequency("kernel.clock"), Frequency::mhz(200));
  EXPECT_EQ(alpha_data.frequency("device.dram.transfer_rate"), Frequency::mhz(1600));
  EXPECT_FALSE(alpha_data.has("hypervisor.cost"));
}

// choi2019 fig. 5 and 5.3: the steps come one after the other, so their times a byte add up.
TEST(Boards, CalibratedStepsAddUpToTheMeasuredBandwidths) {
  const auto in_series = [](std::initializer_list<double> rates) {
    double time = 0;
    for (const double rate : rates) time += 1 / rate;
    return 1 / time;
  };
  const Description board = load(file_of("model:alpha-data-7v3"));
  const double dma = board.bandwidth("dma.rate").gb_per_second();
  const double copy = board.bandwidth("host.copy.rate").gb_per_second();
  const double alloc = board.bandwidth("host.alloc.rate").gb_per_second();
  EXPECT_NEAR(in_series({dma, copy}), 2.7, 0.005);
  EXPECT_NEAR(in_series({dma, copy, alloc}), 1.6, 0.005);
  EXPECT_NEAR(in_series({load(file_of("model:aws-f1")).bandwidth("host.copy.rate").gb_per_second(), 11.89}), 2.59,
              0.005);
}

// The model of the link in one line each way; the fabric's own tests hold the parts against it.
TEST(Boards, LinkOfF1LandsNearThePublishedRatesWithoutCalibration) {
  const Description board = load(file_of("model:aws-f1"));
  const auto bytes = [&board](std::string_view key) { return static_cast<double>(board.bytes(key).count); };
  const double wire = static_cast<double>(board.count("link.pcie.lanes")) * 8.0 * 128 / 130 / 8;  // GB/s, Gen3
  const double payload = bytes("link.pcie.max_payload");
  const double dllp = bytes("link.pcie.dllp_size") / static_cast<double>(board.count("link.pcie.ack_every"));
  const double request = bytes("link.pcie.request_overhead");
  const double packets_per_read = bytes("link.pcie.max_read_request") / payload;
  const double one_way = wire * payload / (payload + request);
  const double both_ways = wire * payload / (payload + request + request / packets_per_read + dllp);
  EXPECT_NEAR(one_way / 11.89, 1, 0.15);    // stacc VI-A
  EXPECT_NEAR(both_ways / 11.36, 1, 0.15);  // stacc table IV: 1370 images/s of 8.29 MB
}

TEST(Boards, TagsOfF1HoldTheWholeLinkBusy) {
  const Description board = load(file_of("model:aws-f1"));
  const double in_flight =
      static_cast<double>(board.count("link.pcie.tags") * board.bytes("link.pcie.max_read_request").count);
  EXPECT_GT(in_flight / board.time("link.pcie.round_trip").seconds(), 16 * 8e9 * 128 / 130 / 8);
}

TEST(Hash, IsOfWhatTheFileMeansNotOfHowItSaysIt) {
  const std::string hash = load_text(f1()).sha256();
  EXPECT_EQ(hash.size(), 64U);
  EXPECT_EQ(load_text("# a comment\n" + f1()).sha256(), hash);
  EXPECT_EQ(
      load_text(replaced(f1(), "transfer = { value = 127, unit = \"us\"", "transfer = { value = 0.127, unit = \"ms\""))
          .sha256(),
      hash);
  EXPECT_EQ(load_text(replaced(f1(), "source = \"choi2019 table 5\"", "source = \"elsewhere\"")).sha256(), hash);
  EXPECT_EQ(load_text(f1(), {"link.pcie.lanes=16"}).sha256(), hash);
  EXPECT_NE(load_text(f1(), {"link.pcie.lanes=8"}).sha256(), hash);
  EXPECT_NE(load_text(replaced(f1(), "\"Amazon EC2 F1\"", "\"Amazon EC2 F2\"")).sha256(), hash);
}

TEST(Hash, DiffersForEveryKeyThatChanges) {
  const Description board = load_text(f1());
  std::set<std::string> hashes = {board.sha256()};
  std::size_t changed = 0;
  for (const Input& input : board.inputs()) {
    const auto* number = std::get_if<double>(&input.value);
    if (number == nullptr || input.key->rules.power_of_two) continue;
    const double value = *number;
    const double other = input.base() + 1 <= input.key->high && input.unit.empty() ? value + 1 : value * 0.5;
    try {
      hashes.insert(load_text(f1(), {fmt::format("{}={}", input.name, other)}).sha256());
      ++changed;
    } catch (const Error&) {  // not a value that this key may have
    }
  }
  EXPECT_EQ(hashes.size(), changed + 1);
  EXPECT_GT(changed, 40U);
}

TEST(Description, AnswersOnlyInTheKeysOwnKind) {
  const Description board = load_text(f1());
  EXPECT_THROW(board.time("link.pcie.lanes"), std::logic_error);
  EXPECT_THROW(board.count("link.pcie.none"), std::logic_error);
  EXPECT_THAT([&] { board.count("link.vh0.lanes"); },
              ThrowsMessage<Error>(HasSubstr("key 'link.vh0.lanes': expected a part of the board (link.pcie, ")));
  EXPECT_THAT([&] { board.bandwidth("host.alloc.rate"); }, ThrowsMessage<Error>(HasSubstr("host.alloc.rate")));
}

TEST(Target, IsAModelByNameOrAFile) {
  EXPECT_EQ(file_of("some/where.toml"), "some/where.toml");
  EXPECT_THAT([] { file_of("model:aws-f2"); },
              ThrowsMessage<Error>(
                  "unknown target 'model:aws-f2': expected model:agilex-7, model:alpha-data-7v3, model:alveo-u250, "
                  "model:alveo-u55c, model:alveo-v80, model:aws-f1, model:ibm-capi, model:kv260, model:stratix-v, "
                  "model:vck5000, model:xeon-fpga-v1, model:xeon-fpga-v2 or model:zynq-ultrascale; did you mean "
                  "'model:aws-f1'?"));
  EXPECT_THAT([] { file_of("opencl:0"); }, ThrowsMessage<Error>(HasSubstr("expected model:NAME or a path")));
  EXPECT_THAT([] { file_of("model:sources"); }, ThrowsMessage<Error>(HasSubstr("unknown target 'model:sources'")));
}

TEST(Target, AWordThatIsNoneGetsTheOneThatWasMeant) {
  const auto said = [](std::string_view word) { return std::string(unknown_target(word, "a target").what()); };
  EXPECT_EQ(said("aws-f2"), "unknown target 'aws-f2': expected a target; did you mean 'model:aws-f1'?");
  EXPECT_EQ(said("natve"), "unknown target 'natve': expected a target; did you mean 'native'?");
  EXPECT_EQ(said("nowhere at all"), "unknown target 'nowhere at all': expected a target");
}

TEST(Target, IsLookedForWhereTheUserSays) {
  setenv("ISTHMUS_PLATFORMS", "/nowhere", 1);
  EXPECT_THAT([] { names(); }, ThrowsMessage<Error>("ISTHMUS_PLATFORMS: '/nowhere' is no folder"));
  unsetenv("ISTHMUS_PLATFORMS");
}

TEST(Json, ShowsEveryInputWithItsSource) {
  const auto record = nlohmann::ordered_json::parse(to_json(load_text(f1(), {"link.pcie.lanes=8"})).text());
  EXPECT_EQ(record["file"], "platform.toml");
  EXPECT_EQ(record["name"], "Amazon EC2 F1");
  EXPECT_EQ(record["inputs"][1]["key"], "link.pcie.lanes");
  EXPECT_EQ(record["inputs"][1]["value"], 8);
  EXPECT_EQ(record["inputs"][1]["role"], "set");
  EXPECT_EQ(record["inputs"][3]["key"], "link.pcie.max_read_request");
  EXPECT_EQ(record["inputs"][3]["range"], nlohmann::ordered_json({256, 4096}));
  for (const auto& input : record["inputs"]) {
    EXPECT_NE(input["source"], "") << input["key"];
    EXPECT_NE(input["meaning"], "") << input["key"];
  }
}

TEST(Schema, NamesEachKindOnceAndByTheLastWordOfItsSectionWhereThatIsNoOthers) {
  std::set<std::string_view> seen;
  std::set<std::string_view> words;
  for (const PartKind* kind : schema()) {
    EXPECT_TRUE(seen.insert(kind->name()).second) << kind->name();
    const std::string_view word = kind->section.substr(kind->section.rfind('.') + 1);
    EXPECT_TRUE(word == kind->name() || !words.insert(word).second) << kind->name();
    words.insert(word);
    EXPECT_NE(kind->meaning, "") << kind->name();
  }
}

TEST(Schema, NamesEachKeyOfAKindOnceWithAMeaningAndARange) {
  for (const PartKind* kind : schema()) {
    std::set<std::string_view> seen;
    for (const Key& key : kind->keys) {
      EXPECT_TRUE(seen.insert(key.name).second) << kind->name() << " " << key.name;
      EXPECT_NE(key.meaning, "") << key.name;
      EXPECT_TRUE(key.quantity == Quantity::text || key.low < key.high) << key.name;
      const bool counts = key.quantity == Quantity::count || key.quantity == Quantity::cycles;
      EXPECT_TRUE(!counts || key.high <= std::numeric_limits<int>::max()) << key.name;
      EXPECT_TRUE(key.rules.when.empty() || seen.contains(key.rules.when)) << key.name << ": its flag comes first";
      EXPECT_TRUE(std::ranges::is_sorted(key.rules.built)) << key.name;
      EXPECT_EQ(key.quantity == Quantity::text, !key.rules.choices.empty()) << key.name;
    }
  }
}

TEST(Schema, RelatesKeysThatThereAre) {
  for (const PartKind* kind : schema())
    for (const Relation& relation : kind->relations)
      for (const Term& term : {relation.lesser, relation.greater}) {
        const PartKind* of = find_kind(schema(), term.kind);
        ASSERT_NE(of, nullptr) << term.kind;
        EXPECT_NE(find_key(*of, term.key), nullptr) << term.key;
      }
}

TEST(Schema, EveryKeyIsInEveryInstalledPartUnlessItsFlagIsOffOrItMayBeLeftOut) {
  std::set<std::string_view> installed;
  for (const std::string& name : names()) {
    const Description board = load(file_of("model:" + name));
    for (const Section& part : board.parts()) {
      installed.insert(part.kind().name());
      for (const Key& key : part.kind().keys) {
        const bool off = !key.rules.when.empty() && !part.flag(key.rules.when);
        EXPECT_TRUE(part.has(key.name) || key.rules.may_be_left_out || off) << name << " " << part.name_of(key.name);
      }
    }
  }
  for (const PartKind* kind : schema()) EXPECT_TRUE(installed.contains(kind->name())) << kind->name();
}

}  // namespace
}  // namespace isthmus::platform::testing
