#include "isthmus/cluster/ranks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace isthmus::cluster {
namespace {

TEST(OneRankAlone, GetsBackWhatItSends) {
  const Ranks ranks = alone();
  const std::array<std::byte, 3> out{std::byte{1}, std::byte{2}, std::byte{3}};
  std::array<std::byte, 3> in{};
  ranks.exchange(out, 0, in, 0);
  EXPECT_EQ(in, out);
  EXPECT_THROW(ranks.exchange(std::span(out).first(2), 0, in, 0), Error);
}

TEST(OneRankAlone, AgreesWithItself) {
  const Ranks ranks = alone();
  EXPECT_NO_THROW(ranks.agree([] {}));
  EXPECT_THROW(ranks.agree([] { throw Error("no room"); }), AgreedError);
  EXPECT_EQ(ranks.sum(2.5), 2.5);
  EXPECT_EQ(ranks.largest(-1.0), -1.0);
  EXPECT_EQ(ranks.gather("here"), std::vector<std::string>{"here"});
  EXPECT_EQ(ranks.split(3, 1).size(), 1);
}

}  // namespace
}  // namespace isthmus::cluster
