#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal.hpp"
#include "base/temporary_folder.hpp"
#include "hpcc/run_conditions.hpp"
#include "isthmus/hpcc/compile.hpp"
#include "isthmus/hpcc/run.hpp"
#include "isthmus/offload/open.hpp"

namespace isthmus::hpcc {
namespace {

struct Case {
  const char* benchmark;
  std::vector<std::string> compiled;
  std::string free;
};

std::vector<Case> cases() {
  return {{"stream", {"DEVICE_BUFFER_SIZE=64"}, "ARRAY_SIZE=65536"},
          {"random_access", {}, "TABLE_SIZE_LOG=12"},
          {"fft", {"LOG_FFT_SIZE=6"}, "DATA_SIZE=4096"},
          {"gemm", {"BLOCK_SIZE=32"}, "MATRIX_SIZE=64"},
          {"ptrans", {"BLOCK_SIZE=64"}, "MATRIX_SIZE=128"},
          {"hpl", {"LOCAL_MEM_BLOCK_LOG=5"}, "MATRIX_SIZE=96"}};
}

/// The binary of a case, as a board's tool would have made it; gone with this.
class Binary {
 public:
  explicit Binary(const Case& of)
      : made_(compile({.benchmark = of.benchmark, .variant = "single", .overrides = of.compiled}, file_)) {}

  /// A job with it on a device that does not compile, or whose side file leaves room for banks.
  Job job(const Case& of, const std::shared_ptr<offload::Device>& device) const {
    Job::Parts parts{.device = device, .ranks = cluster::alone(), .conditions = made_.conditions};
    parts.conditions.device.compiles_online = false;
    std::vector<std::string> overrides = of.compiled;
    overrides.push_back(of.free);
    parts.parameters = Parameters(made_.parameters, overrides);
    parts.grid = cluster::nearest_grid(1);
    parts.binary = file_;
    return {of.benchmark, std::move(parts)};
  }

 private:
  TemporaryFolder folder_;
  std::string file_ = folder_ / "kernel.bin";
  Compilation made_;
};

TEST(Precompiled, EveryBenchmarkRunsWhereNothingCompilesAndNothingIsProbed) {
  const std::shared_ptr<offload::Device> device = offload::open_opencl("opencl:0");
  for (const Case& each : cases()) {
    const Binary binary(each);
    Job job = binary.job(each, device);
    EXPECT_FALSE(job.has_probes());
    const auto benchmark = entry_of(each.benchmark).make(job);
    benchmark->connect();
    benchmark->reset();
    EXPECT_EQ(benchmark->run().size(), benchmark->metrics().size()) << each.benchmark;
    const Validation found = benchmark->validate();
    EXPECT_TRUE(found.passed()) << each.benchmark << found.error;
  }
}

TEST(Precompiled, ParametersOfABoardNeedNoDevice) {
  for (const Case& each : cases()) {
    const Compilation board =
        parameters_of({.benchmark = each.benchmark, .target = kBoard, .overrides = each.compiled});
    EXPECT_EQ(board.conditions.variant, Variant::single);
    for (const std::string& assignment : each.compiled) {
      const std::string name = assignment.substr(0, assignment.find('='));
      const auto found = std::ranges::find(board.parameters, name, &ParameterSpec::name);
      EXPECT_EQ(name + "=" + found->value, assignment);
    }
  }
  EXPECT_THAT(refusal([] { parameters_of({.benchmark = "gemm", .target = kBoard, .overrides = {"BLOK_SIZE=1"}}); }),
              testing::HasSubstr("did you mean 'BLOCK_SIZE'?"));
}

SideFile side_of(const char* tool, const char* memory) {
  return {.file = "x.json",
          .benchmark = "stream",
          .tool = tool,
          .variant = "single",
          .shape = "",
          .device = "",
          .driver = "",
          .replicated = {"stream"},
          .memory = memory,
          .banks = {{"in1", {5, 6}}}};
}

TEST(Precompiled, EachDriverKnowsReplicationsAndBanksInItsWay) {
  using Told = offload::MemoryBank::Told;
  const offload::Kernel kernel({}, "stream_1");
  const SideFile xrt = side_of("xrt", "HBM");
  EXPECT_EQ(xrt.kernel_name("stream", 1), "stream:{stream_1}");
  EXPECT_EQ(xrt.kernel_name("other", 1), "other");
  EXPECT_EQ(xrt.bank(kernel, 0, "in1", 1).told, Told::kernel);
  EXPECT_EQ(xrt.bank(kernel, 3, "in1", 1).argument, 3U);
  const SideFile intel = side_of("intel", "DDR");
  EXPECT_EQ(intel.kernel_name("stream", 1), "stream_1");
  EXPECT_EQ(intel.bank(kernel, 0, "in1", 1).told, Told::channel);
  EXPECT_EQ(intel.bank(kernel, 0, "in1", 1).bank, 6U);
  EXPECT_EQ(intel.bank(kernel, 0, "in2", 1).told, Told::nothing);
  EXPECT_EQ(side_of("intel", "HBM").bank(kernel, 0, "in1", 0).told, Told::type);
  EXPECT_EQ(side_of("opencl", "").bank(kernel, 0, "in1", 0).told, Told::nothing);
}

}  // namespace
}  // namespace isthmus::hpcc
