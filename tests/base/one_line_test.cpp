#include "isthmus/base/one_line.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace isthmus {
namespace {

TEST(OneLine, WritesControlCharactersAsEscapesAndLeavesTheRest) {
  using namespace std::string_view_literals;
  EXPECT_EQ(one_line("a\nb\0\x7f"sv), "a\\x0ab\\x00\\x7f");
  EXPECT_EQ(one_line("größe, 1 µs"), "größe, 1 µs");
}

}  // namespace
}  // namespace isthmus
