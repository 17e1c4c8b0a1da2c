// Boards of any set of parts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/next.hpp"
#include "isthmus/platform/specs.hpp"
#include "platform/fixture.hpp"

namespace isthmus::platform::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// The text of a section of F1, from its header to the next.
std::string section(const std::string& name) {
  const std::string text = f1();
  const auto begin = text.find("[" + name + "]\n");
  const auto end = text.find("\n[", begin);
  return text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

/// F1's link under another name, with further lines.
std::string link(const std::string& name, const std::string& lines = "kind = \"pcie\"\n") {
  return replaced(section("link.pcie"), "[link.pcie]\n", "[link." + name + "]\n" + lines);
}

std::string board(const std::vector<std::string>& parts) {
  std::string text = "name = \"Board of parts\"\n";
  for (const std::string& part : parts) text += part;
  return text;
}

std::string two_links() {
  return board({link("vh1"), link("vh0"), section("host.memory")});
}

std::vector<std::string> names_in(const Description& description) {
  std::vector<std::string> names;
  for (const Section& part : description.parts()) names.push_back(part.name());
  return names;
}

TEST(Parts, AreThoseThatTheFileNamesInTheOrderOfTheSchemaAndOfTheirNames) {
  EXPECT_THAT(names_in(load_text(board({section("kernel"), link("vh10"), link("vh2"), section("dma")}))),
              ElementsAre("link.vh2", "link.vh10", "dma", "kernel"));
}

TEST(Parts, HaveTheirKindInTheirLastWordOrSayIt) {
  const Description description = load_text(two_links());
  EXPECT_EQ(description.parts()[0].kind().name(), "pcie");
  EXPECT_EQ(description.count("link.vh1.lanes"), 16);
  EXPECT_THAT([&] { description.count("link.pcie.lanes"); },
              ThrowsMessage<Error>(HasSubstr("expected a part of the board (link.vh0, link.vh1, host.memory)")));
}

TEST(Parts, OfAnyNameAreFoundByTheirKind) {
  const Description description =
      load_text(board({replaced(section("kernel"), "[kernel]\n", "[kernel.first]\nkind = \"kernel\"\n")}));
  EXPECT_EQ(description.the("kernel").name(), "kernel.first");
  EXPECT_EQ(description.frequency("kernel.first.clock"), Frequency::mhz(250));
  EXPECT_EQ(description.key_here("kernel.clock"), "kernel.first.clock");
  EXPECT_EQ(description.key_here("dma.rate"), "");
}

TEST(Parts, OfOneOfSeveralLinksAreFoundByItsChannel) {
  const Description description = load_text(two_links());
  EXPECT_EQ(description.key_here("link.pcie.lanes"), "link.vh0.lanes");
  EXPECT_EQ(description.key_here("link.pcie.lanes", "vh1"), "link.vh1.lanes");
  EXPECT_EQ(description.key_here("host.memory.latency", "vh1"), "host.memory.latency");
  EXPECT_EQ(description.key_here("link.pcie.lanes", "vh2"), "");
}

TEST(Parts, ThatABoardHasNotAreNamedBesideThoseThatItHas) {
  const Description description = load_text(two_links());
  EXPECT_EQ(description.find("dram"), nullptr);
  EXPECT_THAT(
      [&] { description.the("dram"); },
      ThrowsMessage<Error>(HasSubstr("expected a part of kind dram, got a board of link.vh0, link.vh1, host.memory")));
  constexpr std::array<std::string_view, 4> kNeeds = {"pcie", "dma", "dram", "dma"};
  EXPECT_FALSE(has_all(description, kNeeds));
  EXPECT_THAT([&] { require(description, "probe 'h2d'", kNeeds); },
              ThrowsMessage<Error>(HasSubstr("platform.toml: probe 'h2d': expected a board with dma and dram, got one "
                                             "of link.vh0, link.vh1, host.memory")));
  EXPECT_NO_THROW(require(description, "link", std::array<std::string_view, 2>{"pcie", "memory"}));
}

TEST(Links, AreCalledByTheirLastWordOrAsTheFileSays) {
  EXPECT_THAT(load_text(two_links()).channels(), ElementsAre("vh0", "vh1"));
  EXPECT_THAT(load_text(board({link("vh0", "kind = \"pcie\"\nchannel = \"left\"\n"), link("pcie", "")})).channels(),
              ElementsAre("pcie", "left"));
  EXPECT_THAT(load_text(board({section("kernel")})).channels(), IsEmpty());
}

TEST(Links, OneOfSeveralCanBeChosen) {
  const Description description = load_text(two_links(), {"link.vh1.lanes=4"});
  EXPECT_EQ(kinds::pcie_link_spec(description.over("vh1").the("pcie")).lanes, 4);
  EXPECT_EQ(kinds::pcie_link_spec(description.over("vh0").the("pcie")).lanes, 16);
  EXPECT_THAT(names_in(description.over("")), ElementsAre("link.vh0", "host.memory"));
  EXPECT_THAT([&] { description.over("vh2"); },
              ThrowsMessage<Error>(HasSubstr("platform.toml: unknown channel 'vh2': expected vh0 or vh1")));
  EXPECT_THAT([] { load_text(board({section("kernel")})).over("vh0"); },
              ThrowsMessage<Error>(HasSubstr("unknown channel 'vh0': there is none to choose from")));
}

TEST(Links, AreCheckedEachByItself) {
  EXPECT_EQ(
      refusal(two_links(), {"link.vh1.round_trip=200ns"}),
      "--set: key 'link.vh1.round_trip': expected 2 x link.vh1.flight <= link.vh1.round_trip, got 150 ns and 200 ns");
  EXPECT_EQ(refusal(two_links(), {"host.memory.latency=2us"}),
            "--set: key 'host.memory.latency': expected host.memory.latency <= link.vh0.round_trip, got 2 us and 1 us");
  EXPECT_EQ(refusal(board({link("vh0")}), {"link.vh0.round_trip=310ns"}), "") << "no memory to relate it to";
}

TEST(Links, WhoseRoundTripHasNoRoomForTheMemoryAreRefusedWithTheirKey) {
  const Description description = load_text(two_links(), {"link.vh0.round_trip=350ns"});
  EXPECT_THAT([&] { link_spec(description.over("vh0")); },
              ThrowsMessage<Error>(HasSubstr("key 'link.vh0.round_trip': expected more than the 406 ns that link and "
                                             "host memory take, got 350 ns")));
}

TEST(PartsFile, OfAKindThatThereIsNotIsRefused) {
  const std::string text = board({link("vh0", "kind = \"pci\"\n")});
  EXPECT_THAT(refusal(text),
              HasSubstr(fmt::format("platform.toml:{}: key 'link.vh0.kind': expected a kind of part (pcie, ",
                                    line_of(text, "kind = "))));
  EXPECT_THAT(refusal(text), HasSubstr("got 'pci'; did you mean 'pcie'?"));
  EXPECT_EQ(
      refusal(board({link("vh0", "")})),
      "platform.toml:2: key 'link.vh0': expected a part, whose kind is its last word or kind = \"...\", got neither");
  EXPECT_THAT(refusal(board({link("pci", "")})), HasSubstr("got neither; did you mean 'link.pcie'?"));
  EXPECT_THAT(refusal(board({link("vh0", "kind = 3\n")})),
              HasSubstr("key 'link.vh0.kind': expected a name of letters, digits, '-' and '_', got a bare integer"));
}

TEST(PartsFile, WithTwoPartsOfOneNameIsRefused) {
  EXPECT_THAT(refusal(board({link("vh0"), link("vh0")})), HasSubstr("key 'link.vh0': expected it once, got it again"));
  const std::string text = board({link("vh0"), link("vh1", "kind = \"pcie\"\nchannel = \"vh0\"\n")});
  EXPECT_EQ(refusal(text),
            fmt::format("platform.toml:{}: key 'link.vh1.channel': expected a name of its own, got 'vh0', "
                        "which link.vh0 has as well",
                        line_of(text, "[link.vh1]")));
}

TEST(PartsFile, WithTwoOfAKindOfWhichModelsHaveOneIsRefused) {
  const std::string text =
      board({section("dma"), replaced(section("dma"), "[dma]\n", "[engine.second]\nkind = \"dma\"\n")});
  EXPECT_EQ(refusal(text), fmt::format("platform.toml:{}: key 'engine.second': expected one part of kind dma, got a "
                                       "second beside dma",
                                       line_of(text, "[engine.second]")));
}

TEST(PartsFile, WithAPartWithoutItsRequiredKeysIsRefusedAtTheHeader) {
  const std::string text = board({"[link.vh0]\nkind = \"pcie\"\n", section("kernel")});
  EXPECT_THAT(refusal(text), HasSubstr("platform.toml:2: key 'link.vh0.generation': expected 1..5, got nothing"));
  EXPECT_THAT(refusal(board({"[dma]\n"})), HasSubstr("platform.toml:2: key 'dma.rate': expected"));
}

TEST(PartsFile, WithoutAPartIsRefused) {
  EXPECT_EQ(refusal("name = \"x\"\n"), "platform.toml:1: expected a board of parts, got none");
  EXPECT_EQ(refusal("name = \"x\"\n[link]\n"),
            "platform.toml:2: key 'link': expected a part, whose kind is its last word or kind = \"...\", got neither");
}

TEST(PartsFile, KeepsChannelsForLinks) {
  EXPECT_THAT(refusal(board({replaced(section("dma"), "[dma]\n", "[dma]\nchannel = \"x\"\n")})),
              HasSubstr("key 'dma.channel': expected a key of a part of kind dma, got an unknown one"));
  EXPECT_THAT(refusal(board({link("vh0", "kind = \"pcie\"\nchannel = \"a b\"\n")})),
              HasSubstr("key 'link.vh0.channel': expected a name of letters, digits, '-' and '_', got 'a b'"));
}

TEST(Override, OfAPartThatTheBoardHasNotIsRefusedWithThoseThatItHas) {
  EXPECT_EQ(
      refusal(two_links(), {"link.vh2.lanes=4"}),
      "--set: key 'link.vh2.lanes': expected a key of the board's parts (link.vh0, link.vh1, host.memory), got an "
      "unknown one; did you mean 'link.vh0.lanes'?");
  EXPECT_THAT(refusal(two_links(), {"dma.rate=4GB/s"}), HasSubstr("(link.vh0, link.vh1, host.memory), got an unknown"));
}

TEST(Hash, TellsBoardsByTheirPartsAndTheNamesOfLinks) {
  const std::string hash = load_text(two_links()).sha256();
  EXPECT_EQ(load_text(board({section("host.memory"), link("vh0"), link("vh1")})).sha256(), hash);
  EXPECT_NE(load_text(board({section("host.memory"), link("vh0"), link("vh2")})).sha256(), hash);
  EXPECT_NE(load_text(board({section("host.memory"), link("vh0")})).sha256(), hash);
  EXPECT_NE(load_text(replaced(two_links(), "[link.vh1]\n", "[link.vh1]\nchannel = \"x\"\n")).sha256(), hash);
  EXPECT_EQ(load_text(replaced(two_links(), "[link.vh1]\n", "[link.vh1]\nchannel = \"vh1\"\n")).sha256(), hash);
}

TEST(Json, NamesThePartsWithTheirKinds) {
  EXPECT_THAT(to_json(load_text(two_links())).text(),
              HasSubstr(R"("parts":[{"name":"link.vh0","kind":"pcie","channel":"vh0"},)"
                        R"({"name":"link.vh1","kind":"pcie","channel":"vh1"},)"
                        R"({"name":"host.memory","kind":"memory"}])"));
}

/// The usual sections of the kinds of parts that F1 has, in the order of the schema.
std::vector<std::string> sections_of_f1() {
  const Description whole = load_text(f1());
  std::vector<std::string> names;
  for (const PartKind* kind : schema())
    if (whole.find(kind->name()) != nullptr) names.emplace_back(kind->section);
  return names;
}

/// A board with each section of F1, or without it.
rc::Gen<std::vector<bool>> any_sections() {
  return rc::gen::container<std::vector<bool>>(sections_of_f1().size(), rc::gen::arbitrary<bool>());
}

RC_GTEST_PROP(Parts, OfAnySetMakeABoardWithTheSameValues, ()) {
  const auto chosen = *any_sections();
  const auto all = sections_of_f1();
  std::vector<std::string> texts;
  std::vector<std::string> expected;
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    if (!chosen[at]) continue;
    expected.push_back(all[at]);
    texts.insert(texts.begin() + static_cast<std::ptrdiff_t>(texts.size() / 2), section(expected.back()) + "\n");
  }
  if (texts.empty()) RC_SUCCEED("no board");
  const Description whole = load_text(f1());
  const Description description = load_text(board(texts));
  RC_ASSERT(names_in(description) == expected);
  for (const Section& part : description.parts())
    for (const Input& input : part.inputs())
      RC_ASSERT(input.base() == whole.the(part.kind().name()).find(input.key->name)->base());
}

/// A kind with a text, which no installed board has yet.
constexpr std::array<std::string_view, 3> kPolicies = {"lru", "fifo", "random"};
constexpr std::array kCacheKeys = std::to_array<Key>({
    {"enabled", Quantity::flag, 0, 1, "whether there is one"},
    {"policy", Quantity::text, 0, 0, "what makes room", {.when = "enabled", .choices = kPolicies}},
});
const PartKind kCache{.section = "host.llc", .meaning = "a cache", .keys = kCacheKeys};
const std::array<const PartKind*, 1> kOneKind = {&kCache};

std::string cache(const std::string& policy) {
  return board({"[host.llc]\nenabled = { value = true, source = \"here\", role = \"configuration\" }\n", policy});
}

const std::string kLru = "policy = { value = \"lru\", source = \"ours\", role = \"assumed\", why = \"usual\" }\n";

TEST(Texts, AreWordsOfAList) {
  const Description description = load_text(cache(kLru), {}, kOneKind);
  EXPECT_EQ(description.the("llc").text("policy"), "lru");
  EXPECT_EQ(load_text(cache(kLru), {"host.llc.policy=fifo"}, kOneKind).the("llc").text("policy"), "fifo");
  EXPECT_NE(load_text(cache(kLru), {"host.llc.policy=fifo"}, kOneKind).sha256(), description.sha256());
  EXPECT_THAT(to_json(description).text(), HasSubstr(R"(},{"key":"host.llc.policy","value":"lru",)"));
}

TEST(Texts, ThatAreNoneOfTheListAreRefused) {
  EXPECT_EQ(refusal(cache(replaced(kLru, "lru", "plru")), {}, kOneKind),
            "platform.toml:4: key 'host.llc.policy': expected lru or fifo or random, got 'plru'");
  EXPECT_EQ(refusal(cache(kLru), {"host.llc.policy=2"}, kOneKind),
            "--set: key 'host.llc.policy': expected lru or fifo or random, got '2'");
  EXPECT_EQ(refusal(cache(replaced(kLru, "\"lru\"", "3")), {}, kOneKind),
            "platform.toml:4: key 'host.llc.policy': expected lru or fifo or random, got a bare integer");
  EXPECT_EQ(refusal(cache(replaced(kLru, "source", "range = [0, 1], source")), {}, kOneKind),
            "platform.toml:4: key 'host.llc.policy': expected no range, got an array");
  EXPECT_THAT(refusal(cache(""), {}, kOneKind),
              HasSubstr("key 'host.llc.policy': expected lru or fifo or random, got nothing"));
  EXPECT_EQ(refusal(cache(""), {"host.llc.enabled=false"}, kOneKind), "");
}

TEST(Texts, HaveNoSteps) {
  const Description description = load_text(cache(kLru), {}, kOneKind);
  const NextValues next = next_values(description, *description.the("llc").find("policy"));
  EXPECT_THAT(next.faster, IsEmpty());
  EXPECT_THAT(next.slower, IsEmpty());
}

}  // namespace
}  // namespace isthmus::platform::testing
