#include <gtest/gtest.h>

#include "hpcc/small_runs.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

Request small(const std::vector<std::string>& overrides = {}, const Shape& shape = {}) {
  Request request = shape.request("stream", {"ARRAY_SIZE=65536", "DEVICE_BUFFER_SIZE=1024"}, overrides);
  request.repetitions = 2;
  return request;
}

TEST(Stream, BothVariantsAreRightInEveryTypeWidthAndReplication) {
  for (const char* variant : {"single", "ndrange"})
    for (const char* type : {"DATA_TYPE=float", "DATA_TYPE=double"})
      for (const char* width : {"VECTOR_COUNT=1", "VECTOR_COUNT=8"})
        for (const char* copies : {"NUM_REPLICATIONS=1", "NUM_REPLICATIONS=4"}) {
          const Outcome done = run(small({type, width, copies}, {variant}), cluster::alone());
          EXPECT_TRUE(done.validation.passed()) << variant << type << width << copies << done.validation.error;
          EXPECT_EQ(done.results.size(), 6U);
        }
}

TEST(Stream, ValuesStayInRangeOverAThousandRepetitions) {
  Request request = small({"ARRAY_SIZE=1024"});
  request.repetitions = 1000;
  const Outcome done = run(request, cluster::alone());
  EXPECT_TRUE(done.validation.passed()) << done.validation.error;
}

TEST(Stream, TheBestRepetitionIsTheValue) {
  for (const Result& result : run(small(), cluster::alone()).results) {
    EXPECT_EQ(result.samples.size(), 2U);
    EXPECT_EQ(result.value, std::ranges::max(result.samples));
    EXPECT_DOUBLE_EQ(result.value, result.metric.work / std::ranges::min(result.seconds));
  }
}

TEST(Stream, AnExponentBitOfOneElementIsCaught) {
  const KernelWithAFault kernel(kShapes[1].file("stream"), R"(
    if (get_global_id(0) == 5 && second_input) {
      __global uint* word = (__global uint*)&out[start + 3];
      *word ^= 1u << 23;
    })");
  EXPECT_FALSE(validated_with(kernel, small()));
}

TEST(Stream, WhatDoesNotDivideIsRefusedByName) {
  expect_refused(small({"ARRAY_SIZE=65537"}), "ARRAY_SIZE=65537: expected a multiple of 1024");
  expect_refused(small({"DEVICE_BUFFER_SIZE=24"}), "DEVICE_BUFFER_SIZE=24: expected a multiple of VECTOR_COUNT=16");
  expect_refused(small({"DEVICE_BUFFER_SIZE=6", "GLOBAL_MEM_UNROLL=4"}, kShapes[0]),
                 "DEVICE_BUFFER_SIZE=6: expected a multiple of GLOBAL_MEM_UNROLL=4");
}

TEST(Stream, WhatTheDeviceDoesNotHaveIsRefused) {
  expect_refused(small({"ARRAY_SIZE=1099511627776"}), "ARRAY_SIZE=1099511627776: needs 30786325577728 bytes of memory");
  Request request = small();
  request.kernel_file = "nowhere.cl";
  expect_refused(request, "nowhere.cl: cannot read the kernel's source");
  request.kernel_file.clear();
  request.target = "opencl:99";
  expect_refused(request, "unknown target 'opencl:99'");
}

TEST(Stream, AnUnknownBenchmarkIsRefused) {
  Request request = small();
  request.benchmark = "strem";
  expect_refused(request, "did you mean 'stream'?");
}

}  // namespace
}  // namespace isthmus::hpcc
