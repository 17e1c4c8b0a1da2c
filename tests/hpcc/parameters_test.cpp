#include "isthmus/hpcc/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isthmus/base/error.hpp"

namespace isthmus::hpcc {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<ParameterSpec> specs() {
  return {{.name = "BLOCK_SIZE", .meaning = "", .value = "256", .most = 1024, .multiple_of = {"VECTOR_COUNT"}},
          {.name = "VECTOR_COUNT", .meaning = "", .kind = ParameterKind::power_of_two, .value = "4", .most = 16},
          {.name = "DATA_TYPE", .meaning = "", .kind = ParameterKind::data_type, .value = "float"}};
}

void expect_refused(const std::string& assignment, const std::string& why) {
  EXPECT_THAT([&] { Parameters(specs(), {assignment}); }, ThrowsMessage<Error>(HasSubstr(why)));
}

TEST(Parameters, WhatIsSetReplacesTheDefaultAndReachesTheCompiler) {
  const Parameters parameters(specs(), {"BLOCK_SIZE=512", "DATA_TYPE=double"});
  EXPECT_EQ(parameters.integer("BLOCK_SIZE"), 512);
  EXPECT_EQ(parameters.integer("VECTOR_COUNT"), 4);
  EXPECT_EQ(parameters.build_options(), " -DBLOCK_SIZE=512 -DVECTOR_COUNT=4 -DDATA_TYPE=double");
}

TEST(Parameters, AnUnknownNameGetsTheNearest) {
  expect_refused("BLOK_SIZE=1", "did you mean 'BLOCK_SIZE'?");
}

TEST(Parameters, ValuesOutsideWhatAParameterTakesAreRefused) {
  expect_refused("BLOCK_SIZE=0", "--set BLOCK_SIZE: expected a whole number from 1 to 1024, got '0'");
  expect_refused("BLOCK_SIZE=2k", "got '2k'");
  expect_refused("BLOCK_SIZE=99999999999999999999", "expected a whole number");
  expect_refused("BLOCK_SIZE", "expected NAME=VALUE");
  expect_refused("VECTOR_COUNT=3", "expected a power of two from 1 to 16, got '3'");
  expect_refused("DATA_TYPE=int", "expected float, double or half, got 'int'");
}

TEST(Parameters, WhatDoesNotDivideIsRefusedWhicheverOfTheTwoIsSet) {
  expect_refused("BLOCK_SIZE=254", "BLOCK_SIZE=254: expected a multiple of VECTOR_COUNT=4");
  EXPECT_THAT(
      [] {
        Parameters(specs(), {"BLOCK_SIZE=4", "VECTOR_COUNT=8"});
      },
      ThrowsMessage<Error>(HasSubstr("BLOCK_SIZE=4: expected a multiple of VECTOR_COUNT=8")));
  EXPECT_NO_THROW(Parameters(specs(), {"BLOCK_SIZE=24", "VECTOR_COUNT=8"}));
}

}  // namespace
}  // namespace isthmus::hpcc
