// What changes a flow's rate stands behind one of its parts, where the verdict's reruns look for it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "apps/experiments.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/next.hpp"

namespace isthmus::apps {
namespace {

constexpr double kSeen = 0.02;  // a change of the rate below which no rerun tells one

struct Try {
  std::string board;
  std::string flow;
  std::string setting;

  std::string key() const { return setting.substr(0, setting.find('=')); }
  const Rate& before() const {
    static std::map<std::string, Rate> known;
    const auto found = known.find(board + flow);
    return found != known.end() ? found->second
                                : known.emplace(board + flow, flows().at(flow)({.target = board})).first->second;
  }
  Rate after() const { return flows().at(flow)({.target = board, .overrides = {setting}}); }
  double change() const { return std::fabs(after().elapsed.seconds() / before().elapsed.seconds() - 1); }
  bool is_listed() const { return before().keys.contains(key()); }
};

TEST(KeysOfParts, HoldWhatWasSeenToChangeARate) {
  for (const Try& one : {Try{"model:aws-f1", "offload", "device.dram.data_width=32bit"},
                         Try{"model:aws-f1", "offload", "device.dram.burst_length=4"},
                         Try{"model:aws-f1", "overlap", "device.dram.tCCD_S=8"},
                         Try{"model:alpha-data-7v3", "offload", "device.dram.tCCD_L=10ns"},
                         Try{"model:alpha-data-7v3", "program", "host.memory.latency=180ns"}}) {
    SCOPED_TRACE(one.flow + " " + one.setting);
    EXPECT_GT(one.change(), kSeen);
    EXPECT_TRUE(one.is_listed());
  }
}

std::vector<std::string> names_of_flows() {
  std::vector<std::string> names;
  for (const auto& [name, flow] : flows()) names.push_back(name);
  return names;
}

/// A key of the board at a value one step from its own.
std::vector<std::string> steps(const std::string& board) {
  const auto platform = platform::load(platform::file_of(board), {});
  std::vector<std::string> found;
  for (const platform::Input& input : platform.inputs()) {
    const auto next = platform::next_values(platform, input);
    for (const auto& values : {next.faster, next.slower})
      for (const double value : values) found.push_back(input.name + "=" + std::to_string(value) + input.unit);
  }
  return found;
}

TEST(KeysOfParts, HoldWhateverChangesARate) {
  EXPECT_TRUE(rc::check([] {
    const std::string board = *rc::gen::element<std::string>("model:aws-f1", "model:alpha-data-7v3").as("board");
    const Try one{board, *rc::gen::elementOf(names_of_flows()).as("flow"),
                  *rc::gen::elementOf(steps(board)).as("setting")};
    try {
      RC_ASSERT(one.is_listed() || one.change() <= kSeen);
    } catch (const Error&) {
      RC_SUCCEED("such as a buffer too small for a message");
    }
  }));
}

}  // namespace
}  // namespace isthmus::apps
