// What a user may ask for behind --faults.
#include "program/faults_option.hpp"

#include <gmock/gmock.h>

#include <array>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// NAME=VALUE of each, values as JSON has them.
FaultsArgument given(const std::string& members) {
  Request request("{\"faults\":{" + members + "}}");
  return FaultsArgument(request);
}

Faults chosen(const std::string& text) {
  return given(text).chosen();
}

TEST(FaultsOption, EachFaultHasItsValueAndTheOthersStayAway) {
  const Faults faults = chosen(R"("stall":0.25,"drop":1,"duplicate":0,"corrupt":1e-3,"die":7)");
  EXPECT_EQ(faults.stall, 0.25);
  EXPECT_EQ(faults.drop, 1);
  EXPECT_EQ(faults.duplicate, 0);
  EXPECT_EQ(faults.corrupt, 0.001);
  EXPECT_EQ(faults.die, 7);
  EXPECT_FALSE(chosen("").any());
  EXPECT_FALSE(chosen(R"("drop":0)").any());
  EXPECT_TRUE(chosen(R"("die":0)").any()) << "before the first message";
  EXPECT_TRUE(chosen(R"("stall":0.1)").any());
  EXPECT_FALSE(chosen(R"("stall":0.1)").on_a_link());
}

TEST(FaultsOption, WhatIsNoFaultOrNoValueOfOneIsRefusedByItsName) {
  const auto refuses = [](const std::string& text, const std::string& why) {
    EXPECT_THAT([&] { chosen(text); }, ThrowsMessage<Error>(AllOf(HasSubstr("--faults"), HasSubstr(why)))) << text;
  };
  refuses(R"("drip":0.1)",
          "unknown fault 'drip': expected stall, drop, duplicate, corrupt or die; did you mean 'drop'?");
  for (const char* value : {"1.001", "-0.1", R"("nan")", R"("inf")", R"("")", R"("half")", R"("0.1x")", "true"})
    refuses(std::string(R"("corrupt":)") + value, "corrupt: expected a probability 0..1");
  for (const char* value : {"-1", "1.5", "99999999999", R"("")"})
    refuses(std::string(R"("die":)") + value, "die: expected a number of messages, 0 or more");
}

TEST(FaultsOption, AFaultThatARunDoesNotTakeIsRefusedWithThoseThatItTakes) {
  constexpr std::array kTaken = {kStall, kDie};
  given(R"("die":1,"stall":0.5)").require(kTaken, "the run");
  EXPECT_THAT([&] { given(R"("stall":0.5,"drop":0.5)").require(kTaken, "the run"); },
              ThrowsMessage<Error>(HasSubstr("--faults drop: the run takes stall, die")));
  EXPECT_THAT([&] { given(R"("drop":0.5)").require({}, "the run"); },
              ThrowsMessage<Error>(HasSubstr("--faults drop: the run takes no faults")));
}

}  // namespace
}  // namespace isthmus::program
