#include "isthmus/base/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace isthmus {
namespace {

const std::array<std::string, 3> kFlows{"offload", "overlap", "stream"};

TEST(Nearest, IsTheNameThatASlipOfTheFingersMeant) {
  EXPECT_EQ(nearest("offlaod", kFlows), "offload");
  EXPECT_EQ(nearest("overlapp", kFlows), "overlap");
  EXPECT_EQ(nearest("steam", kFlows), "stream");
}

TEST(Nearest, CountsNeighboursThatAreSwappedAsOneSlip) {
  const std::array<std::string, 1> link{"pcie"};
  EXPECT_EQ(nearest("pcei", link), "pcie");
  EXPECT_EQ(nearest("cpie", link), "pcie");
  EXPECT_EQ(nearest("cpei", link), "") << "two slips in four letters";
}

TEST(Nearest, IsNothingWhereTooManyLettersDiffer) {
  EXPECT_EQ(nearest("pipe", kFlows), "");
  EXPECT_EQ(nearest("", kFlows), "");
  EXPECT_EQ(nearest("offload", {}), "");
}

TEST(UnknownName, SaysWhatIsExpectedAndWhatMayBeMeant) {
  EXPECT_EQ(unknown_name("flow", "steam", kFlows),
            "unknown flow 'steam': expected offload, overlap or stream; did you mean 'stream'?");
  EXPECT_EQ(unknown_name("flow", "pipe", kFlows), "unknown flow 'pipe': expected offload, overlap or stream");
  EXPECT_EQ(unknown_name("flow", "x", std::span(kFlows).first(1)), "unknown flow 'x': expected offload");
  EXPECT_EQ(unknown_name("flow", "x", {}), "unknown flow 'x': there is none to choose from");
}

}  // namespace
}  // namespace isthmus
