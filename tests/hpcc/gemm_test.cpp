#include <gtest/gtest.h>

#include "hpcc/small_runs.hpp"
#include "isthmus/hpcc/run.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

Request small(const std::vector<std::string>& overrides = {}, const Shape& shape = {}) {
  return shape.request("gemm", {"MATRIX_SIZE=128", "BLOCK_SIZE=64"}, overrides);
}

TEST(Gemm, EveryVariantIsRightInEveryTypeBlockAndReplication) {
  for (const Shape& each : kShapes)
    for (const std::vector<std::string>& overrides :
         {std::vector<std::string>{"DATA_TYPE=float", "BLOCK_SIZE=64", "NUM_REPLICATIONS=2"},
          std::vector<std::string>{"DATA_TYPE=double", "BLOCK_SIZE=32", "GEMM_SIZE=4", "NUM_REPLICATIONS=3"}}) {
      const Outcome done = run(small(overrides, each), cluster::alone());
      EXPECT_TRUE(done.validation.passed()) << each.variant << each.shape << overrides[0] << done.validation.error;
    }
}

TEST(Gemm, AnExponentBitOfOneElementIsCaughtInEveryVariant) {
  const std::string fault = R"(
    if (get_global_id(0) == 0 && get_global_id(1) == 0) {
      __global uint* word = (__global uint*)&c_out[1];
      *word ^= 1u << 25;
    })";
  for (const Shape& each : kShapes) {
    const KernelWithAFault kernel(each.file("gemm"), fault);
    EXPECT_FALSE(validated_with(kernel, small({}, each))) << each.file("gemm");
  }
}

TEST(Gemm, AResultThatWasNeverWrittenIsCaught) {
  const KernelWithAFault kernel(kShapes[0].file("gemm"), "c_out[5] = NAN;");
  EXPECT_FALSE(validated_with(kernel, small({}, kShapes[0])));
}

TEST(Gemm, WhatDoesNotDivideIsRefusedByName) {
  expect_refused(small({"MATRIX_SIZE=100"}), "MATRIX_SIZE=100: expected a multiple of BLOCK_SIZE=64");
  expect_refused(small({"GEMM_SIZE=7"}), "BLOCK_SIZE=64: expected a multiple of GEMM_SIZE=7");
  expect_refused(small({"REGISTER_VECTORS=3"}), "BLOCK_SIZE=64: expected a multiple of 48: REGISTER_VECTORS=3");
  expect_refused(small({"NUM_REPLICATIONS=3"}), "NUM_REPLICATIONS=3: expected at most 2");
  expect_refused(small({"GEMM_SIZE=2"}, {.shape = "gpu"}), "GEMM_SIZE=2: expected a multiple of 4");
}

TEST(Gemm, WhatTheDeviceHasNoRoomForIsRefused) {
  expect_refused(small({"MATRIX_SIZE=1048576"}), "MATRIX_SIZE=1048576: needs ");
  expect_refused(small({"MATRIX_SIZE=1024", "BLOCK_SIZE=1024"}, kShapes[0]),
                 "BLOCK_SIZE=1024: needs 12582912 bytes of local memory");
}

TEST(Gemm, HalfIsRefusedWhereTheDeviceDoesNotHaveIt) {
  const Request request = small({"DATA_TYPE=half"});
  if (offload::open_opencl("opencl:0")->properties().half)
    EXPECT_TRUE(run(request, cluster::alone()).validation.passed());
  else
    expect_refused(request, "does not have cl_khr_fp16");
}

}  // namespace
}  // namespace isthmus::hpcc
