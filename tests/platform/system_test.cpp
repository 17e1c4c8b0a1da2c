// What system files say, and what is refused in them.
#include "isthmus/platform/system.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/refusal.hpp"
#include "base/temporary_folder.hpp"
#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/json.hpp"
#include "platform/fixture.hpp"
#include "platform/mutations.hpp"

namespace isthmus::platform::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// F1 with one more channel of its host's memory, in a file beside the system.
std::string other_host() {
  return f1_with("host.memory", "channels", R"(channels = { value = 7, source = "tests", role = "configuration" })");
}

/// A system of all that a file may say, at one key a line, which each test breaks in its own way.
std::string good() {
  return R"(name = "Two hosts"
[[node]]
name = "n0"
[[node]]
name = "n1"
platform = "aws-f1"
[[board]]
name = "b"
count = 3
platform = "model:aws-f1"
node = "n0"
[[board]]
name = "c"
platform = "pair.toml"
node = "n2"
[[wire]]
from = "b"
to = "n0"
[[wire]]
from = "c.narrow"
to = "n2"
[[node]]
name = "n2"
)";
}

/// Writes the boards that the system file names into its folder.
void write_boards() {
  static const bool written_once = [] {
    written(other_host(), "other.toml");
    written(read_text(data_file("tests/boards/two-links.toml")), "pair.toml");
    written(read_text(data_file("tests/boards/no-link.toml")), "none.toml");
    return true;
  }();
  EXPECT_TRUE(written_once);
}

System load_good(const std::string& text = good(), const std::vector<std::string>& overrides = {}) {
  write_boards();
  return load_system(written(text, "system.toml"), overrides);
}

/// What is said of a system; "" when it loads.
std::string said_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return without_folder(isthmus::refusal([&] { load_good(text, overrides); }));
}

/// What is said of the good one with `before` replaced; it must be said of the line on which `after` ends.
std::string refused(const std::string& before, const std::string& after) {
  const std::string text = replaced(good(), before, after);
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(good().find(before) + after.size());
  const std::string place = fmt::format("system.toml:{}: ", std::count(text.begin(), end, '\n') + 1);
  const std::string message = said_of(text);
  EXPECT_THAT(message, StartsWith(place));
  return message.substr(std::min(place.size(), message.size()));
}

std::vector<std::string> wires_of(const System& system) {
  std::vector<std::string> wires;
  for (const System::Wire& wire : system.wires())
    wires.push_back(
        fmt::format("{}.{} to {}", system.boards()[wire.board].name, wire.channel, system.nodes()[wire.node].name));
  return wires;
}

TEST(System, HasTheNodesBoardsAndWiresThatItsFileNames) {
  const System system = load_good();
  EXPECT_EQ(system.name(), "Two hosts");
  ASSERT_EQ(system.nodes().size(), 3U);
  ASSERT_EQ(system.boards().size(), 4U);
  EXPECT_EQ(system.boards()[2].name, "b2");
  EXPECT_EQ(system.boards()[2].platform.name(), "Amazon EC2 F1");
  EXPECT_EQ(system.boards()[3].name, "c");
  EXPECT_EQ(system.boards()[3].platform.name(), "Two links");
  EXPECT_EQ(system.nodes()[system.boards()[3].node].name, "n2");
  EXPECT_THAT(wires_of(system), ElementsAre("b0.pcie to n0", "b1.pcie to n0", "b2.pcie to n0", "c.narrow to n2"));
}

TEST(System, HasInEachNodeTheHostOfItsPlatformOrOfItsBoards) {
  const System system = load_good();
  const Description lone = load(data_file("platforms/aws-f1.toml"));
  for (const std::size_t node : {0U, 1U}) {
    const auto& host = system.nodes()[node].host;
    EXPECT_EQ(host.size(), static_cast<std::size_t>(std::ranges::count_if(
                               lone.parts(), [](const Section& part) { return part.name().starts_with("host."); })));
    for (const Section& part : host) EXPECT_EQ(part.inputs().size(), lone.the(part.kind().name()).inputs().size());
  }
}

TEST(System, WiresAllLinksOfABoardThatNoWireOfItsFileLeaves) {
  const std::string unwired = good().substr(0, good().find("[[wire]]")) + "[[node]]\nname = \"n2\"\n";
  EXPECT_THAT(wires_of(load_good(unwired)),
              ElementsAre("b0.pcie to n0", "b1.pcie to n0", "b2.pcie to n0", "c.vh0 to n2", "c.narrow to n2"));
  const System one = load_good(unwired + "[[wire]]\nfrom = \"b1\"\nto = \"n0\"\n");
  EXPECT_EQ(one.sha256(), load_good(unwired).sha256()) << "b1 has one link, which is wired as it is";
  const std::string linkless = replaced(unwired, "pair.toml", "none.toml");
  EXPECT_EQ(wires_of(load_good(linkless)).size(), 3U);
}

TEST(System, OfOneBoardHasThatBoard) {
  const std::string text = replaced(good(), "count = 3\n", "");
  EXPECT_EQ(load_good(text).boards().front().name, "b");
  EXPECT_EQ(load_good(replaced(good(), "count = 3", "count = 1")).boards().front().name, "b0");
}

TEST(System, TakesOverridesForAllBoardsAndTheirHosts) {
  const std::string alike = replaced(good(), "pair.toml", "aws-f1");
  const System system = load_good(replaced(alike, "c.narrow", "c"), {"host.memory.channels=2", "link.pcie.lanes=4"});
  for (const System::Node& node : system.nodes()) EXPECT_EQ(node.host.front().count("channels"), 2) << node.name;
  for (const System::Board& board : system.boards()) EXPECT_EQ(board.platform.count("link.pcie.lanes"), 4);
  EXPECT_THAT(said_of(good(), {"link.pcie.lane=4"}), StartsWith("--set: key 'link.pcie.lane'"));
}

TEST(System, HasAHashOfWhatItSays) {
  const std::string hash = load_good().sha256();
  EXPECT_EQ(load_good("# words\n" + good()).sha256(), hash);
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"count = 3", "count = 2"}, {"Two hosts", "Others"}, {"c.narrow", "c.vh0"}, {"\"n1\"", "\"n7\""}})
    EXPECT_NE(load_good(replaced(good(), before, after)).sha256(), hash) << after;
  EXPECT_NE(load_good(good(), {"kernel.clock=111MHz"}).sha256(), hash);
  EXPECT_THAT(to_json(load_good()).text(), HasSubstr(R"("sha256":")" + hash + R"(","nodes":)"));
}

TEST(System, IsToldFromAPlatform) {
  write_boards();
  EXPECT_TRUE(is_system(written(good(), "system.toml")));
  EXPECT_TRUE(is_system(written("[[board]]\nname = 3", "system.toml")));
  EXPECT_FALSE(is_system(data_file("platforms/aws-f1.toml")));
  EXPECT_EQ(refusal(good()), "platform.toml:1: expected a platform, which is one board, got a system of boards");
}

TEST(System, InTheFilesForTestsLoads) {
  for (const char* file : {"four-boards.toml", "two-hosts.toml"})
    EXPECT_GE(load_system(data_file(std::filesystem::path("tests/systems") / file)).boards().size(), 3U) << file;
}

TEST(SystemFile, ThatIsEmptyOrNoTomlOrNotThereIsRefused) {
  EXPECT_EQ(said_of(""), "system.toml:1: expected a system, got an empty file");
  EXPECT_THAT(said_of("name = \"x\"\n[[node"), StartsWith("system.toml:2: not TOML: "));
  EXPECT_THROW(load_system("/nowhere/system.toml"), Error);
}

TEST(SystemFile, WithoutANameNodesOrBoardsIsRefused) {
  EXPECT_EQ(said_of("[[node]]\nname = \"n0\"\n"),
            "system.toml:1: key 'name': expected what the system is called, got nothing");
  EXPECT_EQ(said_of("name = \"x\"\n[[node]]\nname = \"n0\"\n"),
            "system.toml:1: key 'board': expected at least one [[board]], got none");
  EXPECT_EQ(said_of("name = \"x\"\n[[board]]\nname = \"b\"\nplatform = \"aws-f1\"\nnode = \"n\"\n"),
            "system.toml:5: key 'board.node': unknown node 'n': there is none to choose from");
  EXPECT_EQ(said_of("name = \"x\"\nboard = 3\n"),
            "system.toml:2: key 'board': expected entries [[board]], got a bare integer");
  EXPECT_EQ(said_of("name = \"x\"\nboard = [3]\n"),
            "system.toml:2: key 'board': expected entries [[board]], got a bare integer");
}

TEST(SystemKey, ThatIsUnknownIsRefusedWithTheNearestOne) {
  EXPECT_EQ(said_of(good() + "[[bord]]\nname = \"d\"\n"),
            "system.toml:24: unknown key 'bord': expected name, node, board or wire; did you mean 'board'?");
  EXPECT_EQ(refused("count = 3", "counts = 3"),
            "unknown key 'board.counts': expected board.name, board.count, board.platform or board.node; did you mean "
            "'board.count'?");
  EXPECT_EQ(refused("platform = \"aws-f1\"", "link = 1"),
            "unknown key 'node.link': expected node.name or node.platform");
}

TEST(SystemBoard, OfAPlatformThatIsNotThereIsRefused) {
  EXPECT_EQ(refused("pair.toml\"", "pear.toml\""),
            "key 'board.platform': expected a platform file, got 'pear.toml', where there is none");
  EXPECT_EQ(refused("model:aws-f1\"", "aws-f2\""),
            "key 'board.platform': unknown platform 'aws-f2': expected agilex-7, alpha-data-7v3, alveo-u250, "
            "alveo-u55c, alveo-v80, aws-f1, ibm-capi, kv260, stratix-v, vck5000, xeon-fpga-v1, xeon-fpga-v2 or "
            "zynq-ultrascale; did you mean 'aws-f1'?");
  EXPECT_EQ(refused("platform = \"pair.toml\"", "platform = 3"),
            "key 'board.platform': expected the name of a platform or a file that ends in .toml, got a bare integer");
  EXPECT_EQ(refused("platform = \"pair.toml\"", "platform = \"\""),
            "key 'board.platform': expected the name of a platform or a file that ends in .toml, got an empty text");
  EXPECT_EQ(said_of(replaced(good(), "pair.toml", "system.toml")),
            "system.toml:1: expected a platform, which is one board, got a system of boards");
}

TEST(SystemBoard, WithoutAKeyIsRefusedAtItsHeader) {
  EXPECT_EQ(refused("[[board]]\nname = \"c\"", "[[board]]"), "key 'board.name': expected a name, got nothing");
  EXPECT_EQ(said_of(replaced(good(), "node = \"n2\"\n", "")),
            "system.toml:12: key 'board.node': expected a name, got nothing");
  EXPECT_EQ(said_of(replaced(good(), "platform = \"pair.toml\"\n", "")),
            "system.toml:12: key 'board.platform': expected the name of a platform or a file that ends in .toml, got "
            "nothing");
}

TEST(SystemBoard, OfANameThatIsTakenIsRefused) {
  EXPECT_EQ(refused("name = \"c\"", "name = \"b\""),
            "key 'board.name': expected a name of its own, got 'b', which stands at system.toml:8 as well");
  EXPECT_EQ(refused("name = \"c\"", "name = \"b2\""),
            "key 'board.name': expected a name of its own, got 'b2', which stands at system.toml:8 as well");
  EXPECT_EQ(refused("name = \"c\"", "name = \"n1\""),
            "key 'board.name': expected a name of its own, got 'n1', which stands at system.toml:5 as well");
  EXPECT_EQ(refused("name = \"n2\"", "name = \"n0\""),
            "key 'node.name': expected a name of its own, got 'n0', which stands at system.toml:3 as well");
  EXPECT_EQ(refused("name = \"c\"", "name = \"a board\""),
            "key 'board.name': expected a name of letters, digits, '-' and '_', got 'a board'");
}

TEST(SystemBoard, OfWhichThereAreNoneOrTooManyIsRefused) {
  EXPECT_EQ(refused("count = 3", "count = 0"), "key 'board.count': expected 1..256, got 0");
  EXPECT_EQ(refused("count = 3", "count = 257"), "key 'board.count': expected 1..256, got 257");
  EXPECT_EQ(refused("count = 3", "count = 2.5"), "key 'board.count': expected 1..256, got a bare number");
}

TEST(SystemBoard, OnANodeThatIsNotThereIsRefused) {
  EXPECT_EQ(refused("node = \"n2\"", "node = \"n3\""), "key 'board.node': unknown node 'n3': expected n0, n1 or n2");
  EXPECT_EQ(refused("node = \"n2\"", "node = \"b0\""),
            "key 'board.node': expected a node (n0, n1, n2), got the board 'b0'");
}

TEST(SystemBoard, WhoseHostIsNotItsNodesIsRefusedByTheKeyThatDiffers) {
  const std::string other = other_host();
  const std::string f1_file = file_of("model:aws-f1").string();
  const std::string beside = replaced(replaced(good(), "pair.toml", "other.toml"), "node = \"n2\"", "node = \"n0\"");
  EXPECT_EQ(said_of(beside),
            fmt::format("system.toml:14: key 'board.platform': expected the host of node 'n0', with "
                        "host.memory.channels = 4 ({}:{}), got 7 (other.toml:{})",
                        f1_file, line_of(f1(), "\nchannels = ") + 1, line_of(other, "\nchannels = ") + 1));
}

TEST(SystemNode, WithoutAHostIsRefused) {
  EXPECT_EQ(said_of(replaced(good(), "platform = \"aws-f1\"\n", "")),
            "system.toml:4: key 'node.platform': expected a platform whose host it is, or a board on it, got neither");
}

TEST(SystemWire, ThatBeginsAtNoBoardIsRefused) {
  EXPECT_EQ(refused("from = \"c.narrow\"", "from = \"b3\""),
            "key 'wire.from': unknown board 'b3': expected b, b0, b1, b2 or c");
  EXPECT_EQ(refused("from = \"c.narrow\"", "from = \"n2\""),
            "key 'wire.from': expected a board (b, b0, b1, b2, c), got the node 'n2'");
}

TEST(SystemWire, ThatLeavesALinkWhichTheBoardHasNotIsRefused) {
  EXPECT_EQ(refused("c.narrow", "c.narow"),
            "key 'wire.from': unknown link 'c.narow': expected c.vh0 or c.narrow; did you mean 'c.narrow'?");
  EXPECT_THAT(said_of(replaced(replaced(good(), "pair.toml", "none.toml"), "c.narrow", "c")),
              StartsWith("system.toml:20: key 'wire.from': expected a board with a link, got 'c', which is one of "));
}

TEST(SystemWire, ThatLeavesALinkAsAnotherDoesIsRefused) {
  EXPECT_EQ(said_of(good() + "[[wire]]\nfrom = \"b1\"\nto = \"n0\"\n"),
            "system.toml:25: key 'wire.from': expected a link that no other wire leaves, got 'b1.pcie', which one "
            "does");
}

TEST(SystemWire, ThatEndsAtNoNodeOrAtAnotherIsRefused) {
  EXPECT_EQ(refused("to = \"n2\"", "to = \"m2\""), "key 'wire.to': unknown node 'm2': expected n0, n1 or n2");
  EXPECT_EQ(refused("to = \"n2\"", "to = \"c\""), "key 'wire.to': expected a node (n0, n1, n2), got the board 'c'");
  EXPECT_EQ(refused("to = \"n2\"", "to = \"n1\""), "key 'wire.to': expected 'n2', the node of 'c', got 'n1'");
}

/// Pieces of system files where they should not be.
const std::vector<std::string> kPieces = {
    "[[node]]",        "[[board]]\n", "[[wire]]\n", "[board]", "name",       "count = 9\n", "platform = \"aws-f1\"\n",
    "node = \"n1\"\n", "b1",          "b.pcie",     "n0",      "system.toml"};

RC_GTEST_PROP(BrokenSystemFile, LoadsOrIsRefusedInOneLineAndNeverCrashes, ()) {
  const std::string message = said_of(mutated(good(), kPieces));
  RC_ASSERT(one_clean_line(message));
  RC_ASSERT(message.empty() || message.starts_with("system.toml"));
  RC_TAG(message.empty() ? "accepted" : "refused");
}

}  // namespace
}  // namespace isthmus::platform::testing
