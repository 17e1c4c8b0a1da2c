// Probes of systems: boards that copy at once, against one alone and against the memory that they share, and what is
// named as their limit against what another value of that key changes.
#include "isthmus/probes/system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "isthmus/base/data_file.hpp"
#include "isthmus/base/error.hpp"

namespace isthmus::probes {
namespace {

using Overrides = std::vector<std::string>;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kSize = 256 * 1024;
const std::string kTwoLinks = data_file("tests/boards/two-links.toml").string();

const Probe& named(std::string_view name) {
  return *std::ranges::find(system_probes(), name, &Probe::name);
}

/// A system file of these tables, in the tests' own folder.
std::string file_of(const std::vector<std::string>& tables) {
  const std::string file = fmt::format("{}system-under-test-{}.toml", ::testing::TempDir(), ::getpid());
  std::ofstream(file) << "name = \"Tested\"\n" << fmt::format("{}", fmt::join(tables, "\n"));
  return file;
}
std::string node(std::string_view name) {
  return fmt::format("[[node]]\nname = \"{}\"\n", name);
}
std::string boards(std::string_view name, int count, std::string_view platform, std::string_view node) {
  return fmt::format("[[board]]\nname = \"{}\"\ncount = {}\nplatform = \"{}\"\nnode = \"{}\"\n", name, count, platform,
                     node);
}
std::string wire(std::string_view from, std::string_view to) {
  return fmt::format("[[wire]]\nfrom = \"{}\"\nto = \"{}\"\n", from, to);
}
std::string boards_alike(int count) {
  return file_of({node("n0"), boards("b", count, "aws-f1", "n0")});
}

struct Found {
  double rate = 0;  ///< GB/s, of all boards together
  std::map<std::string, Finding::Parameter> parameters{};

  std::string text(const std::string& name) const {
    const auto place = parameters.find(name);
    return place == parameters.end() ? "" : std::get<std::string>(place->second);
  }
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> all_found(const Probe& probe, const std::string& file, const Overrides& overrides = {},
                             std::int64_t size = kSize) {
  std::vector<Found> found;
  probe_system({.target = file, .overrides = overrides, .sizes = {{size}}}, probe, [&](const Finding& finding) {
    found.push_back({finding.samples.front(), {finding.parameters.begin(), finding.parameters.end()}});
  });
  return found;
}
Found found(const Probe& probe, const std::string& file, const Overrides& overrides = {}) {
  return all_found(probe, file, overrides).at(0);
}

TEST(SystemProbe, OfOneBoardFindsWhatTheBoardsOwnProbeFinds) {
  for (const Probe& probe : system_probes()) {
    const Job job{.target = "model:aws-f1", .sizes = {{kSize}}};
    Target board(job);
    double alone = 0;
    probe.run(job, board, [&](const Finding& finding) { alone = finding.samples.front(); });
    EXPECT_NEAR(found(probe, boards_alike(1)).rate, alone, 2e-3 * alone)
        << probe.name << ": a refresh may come in between";
  }
}

TEST(SystemProbe, FindsTheRateOfOneBoardTimesTheBoardsWhereTheMemoryHasEnough) {
  for (const Probe& probe : system_probes()) {
    const double alone = found(probe, boards_alike(1)).rate;
    const Found four = found(probe, data_file("tests/systems/four-boards.toml").string());
    EXPECT_NEAR(four.rate, 4 * alone, 0.03 * 4 * alone) << probe.name;
    EXPECT_EQ(std::get<std::int64_t>(four.parameters.at("boards")), 4);
    EXPECT_FALSE(four.parameters.contains("node")) << "there is one host";
  }
}

TEST(SystemProbe, FindsTheMemorysRateHoweverManyShareItAndNamesIt) {
  const double memory = 0.1 * 8;  // GB/s: 100 MT/s of 64 bit
  for (const char* name : {"h2d-pinned", "d2h-pinned"})
    for (const int count : {2, 4}) {
      const Found shared =
          found(named(name), boards_alike(count), {"host.memory.channels=1", "host.memory.transfer_rate=100"});
      EXPECT_LT(shared.rate, memory) << name;
      EXPECT_GT(shared.rate, 0.8 * memory) << name << ": calls take the rest";
      EXPECT_EQ(shared.text("limit"), "host memory") << name << " of " << count;
      EXPECT_THAT(shared.text("limit_key"), HasSubstr("host.memory.")) << name;
    }
}

TEST(SystemProbe, NamesTheMemoryWhereMoreOfItIsWhatHelps) {
  const Overrides scarce{"host.memory.channels=1", "host.memory.transfer_rate=100"};
  const auto with = [&scarce](const std::string& more) {
    Overrides overrides = scarce;
    overrides.push_back(more);
    return found(named("h2d-pinned"), boards_alike(4), overrides).rate;
  };
  const double now = found(named("h2d-pinned"), boards_alike(4), scarce).rate;
  EXPECT_GT(with("host.memory.transfer_rate=200"), 1.5 * now);
  EXPECT_LT(with("link.pcie.generation=4"), 1.02 * now);
}

TEST(SystemProbe, NamesTheLinkWhereItIsNarrow) {
  for (const auto& [name, part] :
       {std::pair{"h2d-pinned", "PCIe host to device"}, std::pair{"d2h-pinned", "PCIe device to host"}}) {
    const auto with = [name = name](const std::string& assignment, int count) {
      return found(named(name), boards_alike(count), {assignment});
    };
    const Found narrow = with("link.pcie.lanes=1", 4);
    EXPECT_EQ(narrow.text("limit"), part);
    EXPECT_EQ(narrow.text("limit_key"), "link.pcie.lanes");
    EXPECT_NEAR(narrow.rate, 4 * with("link.pcie.lanes=1", 1).rate, 0.02 * narrow.rate) << name;
    EXPECT_GT(with("link.pcie.lanes=2", 4).rate, 1.5 * narrow.rate) << name;
  }
}

TEST(SystemProbe, OfTwoHostsFindsOfEachWhatItFindsOfItAlone) {
  const std::string left = node("left") + boards("pair", 2, kTwoLinks, "left") + wire("pair.narrow", "left");
  const std::string right = node("right") + boards("f1", 1, "model:aws-f1", "right");
  for (const Probe& probe : system_probes()) {
    std::vector<Found> alone = all_found(probe, file_of({left}));
    alone.push_back(found(probe, file_of({right})));
    alone[0].parameters.emplace("node", "left");
    alone[1].parameters.emplace("node", "right");
    EXPECT_EQ(all_found(probe, file_of({left, right})), alone) << probe.name;
  }
}

// The narrow link has 8 lanes where the other board's has 16, and is the last to be done.
TEST(SystemProbe, OfUnlikeBoardsInOneHostNamesTheKeyOfTheOneThatLimits) {
  const std::string file = file_of({node("n0"), boards("wide", 1, kTwoLinks, "n0"), boards("slim", 1, kTwoLinks, "n0"),
                                    wire("wide.vh0", "n0"), wire("slim.narrow", "n0")});
  EXPECT_EQ(all_found(named("h2d-pinned"), file, {}, 4 * kSize).at(0).text("limit_key"), "link.vh1.lanes");
}

TEST(SystemProbe, RefusesABoardWithTwoWiredLinks) {
  EXPECT_THAT([] { found(named("h2d"), data_file("tests/systems/two-hosts.toml").string()); },
              ThrowsMessage<Error>(
                  HasSubstr("two-hosts.toml: board 'pair0': expected one link with a [[wire]], got vh0 and narrow")));
}

TEST(SystemProbe, RefusesABoardWithoutTheParts) {
  const std::string file = file_of({node("n0"), boards("b", 2, data_file("tests/boards/no-link.toml").string(), "n0")});
  EXPECT_THAT([&] { found(named("h2d"), file); },
              ThrowsMessage<Error>(HasSubstr("probe 'h2d' of board 'b0': expected a board with pcie and memory")));
}

}  // namespace
}  // namespace isthmus::probes
