#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "hpcc/random_values.hpp"
#include "hpcc/reference_fft.hpp"
#include "hpcc/small_runs.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

Request small(const Shape& shape, const std::vector<std::string>& overrides = {}) {
  return shape.request("fft", {"DATA_SIZE=16384"}, overrides);
}

void expect_right(const Request& request) {
  const Outcome done = run(request, cluster::alone());
  EXPECT_TRUE(done.validation.passed()) << done.kernel_file << request.overrides.back() << done.validation.error;
}

TEST(Fft, TheReferenceIsTheSumThatDefinesIt) {
  constexpr int kLog = 6;
  constexpr std::size_t kSize = 1U << kLog;
  const RandomValues random(1);
  std::vector<ReferenceFft::Complex> values(kSize);
  for (std::size_t k = 0; k < kSize; ++k) values[k] = {random.at(2 * k), random.at(2 * k + 1)};
  const auto spectrum = values;
  ReferenceFft(kLog).inverse(values);
  for (std::size_t t = 0; t < kSize; ++t) {
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < kSize; ++k)
      sum += std::complex(spectrum[k].re, spectrum[k].im) *
             std::polar(1.0 / kSize, 2 * std::numbers::pi * static_cast<double>(k * t % kSize) / kSize);
    EXPECT_NEAR(values[t].re, sum.real(), 1e-15);
    EXPECT_NEAR(values[t].im, sum.imag(), 1e-15);
  }
}

// Every transform that stays in registers, and every sequence of radices after the first pass.
TEST(Fft, CpuKernelsAreRightInEveryKindOfSize) {
  for (const int log : {5, 6, 7, 8, 9, 10, 11, 17})
    expect_right(small(kShapes[1], {"DATA_SIZE=131072", "LOG_FFT_SIZE=" + std::to_string(log)}));
}

// Both radices with what is left for the last pass, the longest tile in pairs of floats, the one that passes by halves,
// and the shortest transform of two tiles.
TEST(Fft, GpuKernelsAreRightForEveryLastRadixAndInTwoSteps) {
  for (const int log : {5, 6, 7, 8, 9, 12, 13, 14})
    expect_right(small(kShapes[2], {"LOG_FFT_SIZE=" + std::to_string(log)}));
}

TEST(Fft, OnePipelineIsRightWithFourAndWithEightValuesACycle) {
  for (const char* log : {"LOG_FFT_SIZE=5", "LOG_FFT_SIZE=6", "LOG_FFT_SIZE=11"})
    expect_right(small(kShapes[0], {log}));
}

TEST(Fft, ReplicationsShareTheBatch) {
  for (const Shape& shape : kShapes) expect_right(small(shape, {"NUM_REPLICATIONS=2", "LOG_FFT_SIZE=8"}));
}

TEST(Fft, AnExponentBitOfOneElementIsCaught) {
  for (const Shape& shape : kShapes) {
    const KernelWithAFault kernel(shape.file("fft"), R"(
      if (get_global_id(0) == 0) {
        __global uint* word = (__global uint*)out;
        word[0] ^= 1u << 24;
      })");
    EXPECT_FALSE(validated_with(kernel, small(shape, {"LOG_FFT_SIZE=9"}))) << shape.file("fft");
  }
}

TEST(Fft, WhatDoesNotFitIsRefusedByName) {
  expect_refused(small(kShapes[1], {"DATA_SIZE=1000"}), "DATA_SIZE=1000: expected a multiple of 4096");
  expect_refused(small(kShapes[1], {"LOG_FFT_SIZE=18"}), "LOG_FFT_SIZE");
  expect_refused(small(kShapes[0], {"LOG_FFT_SIZE=17", "DATA_SIZE=131072"}),
                 "LOG_FFT_SIZE=17: needs 6291456 bytes of local memory");
  expect_refused(small(kShapes[1], {"DATA_SIZE=1099511627776"}), "DATA_SIZE=1099511627776: needs ");
}

}  // namespace
}  // namespace isthmus::hpcc
