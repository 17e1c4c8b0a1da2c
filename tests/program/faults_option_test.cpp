// What a user may write behind --faults.
#include "program/faults_option.hpp"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <array>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Read as a command line.
FaultsArgument given(const std::string& text) {
  FaultsArgument argument;
  CLI::App app;
  argument.add_to(app);
  app.parse(text.empty() ? "" : "--faults " + text);
  return argument;
}

Faults chosen(const std::string& text) {
  return given(text).chosen();
}

TEST(FaultsOption, EachFaultHasItsValueAndTheOthersStayAway) {
  const Faults faults = chosen("stall=0.25,drop=1,duplicate=0,corrupt=1e-3,die=7");
  EXPECT_EQ(faults.stall, 0.25);
  EXPECT_EQ(faults.drop, 1);
  EXPECT_EQ(faults.duplicate, 0);
  EXPECT_EQ(faults.corrupt, 0.001);
  EXPECT_EQ(faults.die, 7);
  EXPECT_FALSE(chosen("").any());
  EXPECT_FALSE(chosen("drop=0").any());
  EXPECT_TRUE(chosen("die=0").any()) << "before the first message";
  EXPECT_TRUE(chosen("stall=0.1").any());
  EXPECT_FALSE(chosen("stall=0.1").on_a_link());
}

TEST(FaultsOption, WhatIsNoFaultOrNoValueOfOneIsRefusedByItsName) {
  const auto refuses = [](const std::string& text, const std::string& why) {
    EXPECT_THAT([&] { chosen(text); }, ThrowsMessage<Error>(AllOf(HasSubstr("--faults"), HasSubstr(why)))) << text;
  };
  refuses("drip=0.1", "unknown fault 'drip': expected stall, drop, duplicate, corrupt or die; did you mean 'drop'?");
  for (const char* value : {"1.001", "-0.1", "nan", "inf", "", "half", "0.1x"})
    refuses(std::string("corrupt=") + value, "corrupt: expected a probability 0..1");
  for (const char* value : {"-1", "1.5", "99999999999", ""})
    refuses(std::string("die=") + value, "die: expected a number of messages, 0 or more");
  refuses("stall", "expected NAME=VALUE");
  refuses("stall=0.1,stall=0.2", "stall is given twice");
}

TEST(FaultsOption, AFaultThatARunDoesNotTakeIsRefusedWithThoseThatItTakes) {
  constexpr std::array kTaken = {kStall, kDie};
  given("die=1,stall=0.5").require(kTaken, "the run");
  EXPECT_THAT([&] { given("stall=0.5,drop=0.5").require(kTaken, "the run"); },
              ThrowsMessage<Error>(HasSubstr("--faults drop: the run takes stall, die")));
  EXPECT_THAT([&] { given("drop=0.5").require({}, "the run"); },
              ThrowsMessage<Error>(HasSubstr("--faults drop: the run takes no faults")));
}

}  // namespace
}  // namespace isthmus::program
