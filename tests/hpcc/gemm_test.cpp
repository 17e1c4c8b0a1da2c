#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "hpcc/kernel_with_a_fault.hpp"
#include "hpcc/shapes.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Request small(const std::vector<std::string>& overrides = {}) {
  Request request{.benchmark = "gemm", .size = "small", .repetitions = 1};
  request.overrides = {"MATRIX_SIZE=128", "BLOCK_SIZE=64"};
  request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
  return request;
}

void expect_refused(const Request& request, const std::string& why) {
  EXPECT_THAT([&] { run(request, cluster::alone()); }, ThrowsMessage<Error>(HasSubstr(why)));
}

TEST(Gemm, EveryVariantIsRightInEveryTypeBlockAndReplication) {
  for (const Shape& each : kShapes)
    for (const std::vector<std::string>& overrides :
         {std::vector<std::string>{"DATA_TYPE=float", "BLOCK_SIZE=64", "NUM_REPLICATIONS=2"},
          std::vector<std::string>{"DATA_TYPE=double", "BLOCK_SIZE=32", "GEMM_SIZE=4", "NUM_REPLICATIONS=3"}}) {
      Request request = small(overrides);
      request.variant = each.variant;
      request.shape = each.shape;
      const Outcome done = run(request, cluster::alone());
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
    Request request = small();
    request.variant = each.variant;
    request.shape = each.shape;
    const std::string shape = *each.shape == 0 ? "" : std::string("_") + each.shape;
    const KernelWithAFault kernel("kernels/hpcc/gemm_" + std::string(each.variant) + shape + ".cl", fault);
    request.kernel_file = kernel.file();
    EXPECT_FALSE(run(request, cluster::alone()).validation.passed()) << each.variant << each.shape;
  }
}

TEST(Gemm, AResultThatWasNeverWrittenIsCaught) {
  Request request = small();
  request.variant = "single";
  const KernelWithAFault kernel("kernels/hpcc/gemm_single.cl", "c_out[5] = NAN;");
  request.kernel_file = kernel.file();
  EXPECT_FALSE(run(request, cluster::alone()).validation.passed());
}

TEST(Gemm, WhatDoesNotDivideIsRefusedByName) {
  expect_refused(small({"MATRIX_SIZE=100"}), "MATRIX_SIZE=100: expected a multiple of BLOCK_SIZE=64");
  expect_refused(small({"GEMM_SIZE=7"}), "BLOCK_SIZE=64: expected a multiple of GEMM_SIZE=7");
  expect_refused(small({"REGISTER_VECTORS=3"}), "BLOCK_SIZE=64: expected a multiple of 48: REGISTER_VECTORS=3");
  expect_refused(small({"NUM_REPLICATIONS=3"}), "NUM_REPLICATIONS=3: expected at most 2");
  Request gpu = small({"GEMM_SIZE=2"});
  gpu.shape = "gpu";
  expect_refused(gpu, "GEMM_SIZE=2: expected a multiple of 4");
}

TEST(Gemm, WhatTheDeviceHasNoRoomForIsRefused) {
  expect_refused(small({"MATRIX_SIZE=1048576"}), "MATRIX_SIZE=1048576: needs ");
  Request single = small({"MATRIX_SIZE=1024", "BLOCK_SIZE=1024"});
  single.variant = "single";
  expect_refused(single, "BLOCK_SIZE=1024: needs 12582912 bytes of local memory");
}

TEST(Gemm, HalfIsRefusedWhereTheDeviceDoesNotHaveIt) {
  const Request request = small({"DATA_TYPE=half"});
  if (offload::open_compute("opencl:0")->properties().half)
    EXPECT_TRUE(run(request, cluster::alone()).validation.passed());
  else
    expect_refused(request, "does not have cl_khr_fp16");
}

}  // namespace
}  // namespace isthmus::hpcc
