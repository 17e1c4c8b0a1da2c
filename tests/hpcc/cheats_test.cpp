#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <bit>

#include "cluster/single_rank.hpp"
#include "hpcc/small_runs.hpp"
#include "isthmus/hpcc/run.hpp"

namespace isthmus::hpcc {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

enum Cheat : int { honest, does_nothing, skips_an_eighth };

/// A word of this process that kernels on the processor read: how they cheat now. Its address stands in their source,
/// and is always the same, so that PoCL compiles them once.
class Told {
 public:
  Told() {
    void* page = mmap(wanted(), cluster::kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page != wanted()) throw Error("the page of the cheats is taken");
    word_ = static_cast<volatile int*>(page);
  }
  ~Told() { munmap(wanted(), cluster::kPage); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

  void operator=(Cheat cheat) { *word_ = cheat; }

  static std::string in_a_kernel() {
    return "\n  const int cheat = *(volatile __global int*)" + std::to_string(kAddress) + R"(UL;
  if (cheat == 1 || (cheat == 2 && (get_global_id(1) * get_global_size(0) + get_global_id(0)) % 8 == 0)) return;
)";
  }

 private:
  static void* wanted() { return std::bit_cast<void*>(kAddress); }

  static constexpr std::uintptr_t kAddress = std::uintptr_t{1} << 45U;  // where sanitizers map nothing either
  volatile int* word_;
};

/// A benchmark whose work is expected to last less than a millisecond, so that its rate is not judged, and one whose
/// rate is: what small and standard sizes are on most devices. Standard ones would take PoCL minutes.
struct Case {
  const char* benchmark;
  std::vector<std::string> less;
  std::vector<std::string> more;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"stream", {"ARRAY_SIZE=65536", "DEVICE_BUFFER_SIZE=1024"}, {"ARRAY_SIZE=8388608"}},
      {"fft", {"DATA_SIZE=65536"}, {"DATA_SIZE=4194304"}},
      {"gemm", {"MATRIX_SIZE=128", "BLOCK_SIZE=64"}, {"MATRIX_SIZE=1024"}},
      {"hpl", {"MATRIX_SIZE=192", "LOCAL_MEM_BLOCK_LOG=5"}, {"MATRIX_SIZE=1024"}},
      {"random_access", {"TABLE_SIZE_LOG=12"}, {"TABLE_SIZE_LOG=18"}},
      {"ptrans", {"MATRIX_SIZE=384"}, {"MATRIX_SIZE=2560"}}};
  return all;
}

class Kernels : public testing::TestWithParam<Case> {
 protected:
  bool validated(const KernelWithAFault& kernel, const std::vector<std::string>& overrides, Cheat from_the_start,
                 Cheat after_the_first) {
    Request request = kShapes[1].request(GetParam().benchmark, overrides, {});
    request.kernel_file = kernel.file();
    request.repetitions = 2;
    told_ = from_the_start;
    return run(request, cluster::alone(), {.on_repetition = [&](const Repetition&) { told_ = after_the_first; }})
        .validation.passed();
  }

 private:
  Told told_;
};

TEST_P(Kernels, AreValidatedOnlyIfEachRepetitionDoesAllOfTheWork) {
  const KernelWithAFault kernel =
      KernelWithAFault::at_the_start(kShapes[1].file(GetParam().benchmark), Told::in_a_kernel());
  for (const auto& overrides : {GetParam().less, GetParam().more}) {
    EXPECT_TRUE(validated(kernel, overrides, honest, honest)) << overrides.front();
    EXPECT_FALSE(validated(kernel, overrides, honest, does_nothing)) << overrides.front() << ", works once";
    EXPECT_FALSE(validated(kernel, overrides, skips_an_eighth, skips_an_eighth)) << overrides.front();
    EXPECT_FALSE(validated(kernel, overrides, does_nothing, does_nothing)) << overrides.front();
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryBenchmark, Kernels, testing::ValuesIn(cases()),
                         [](const auto& each) { return std::string(each.param.benchmark); });

/// One rank to whom its messages come as it is told: each, none, or seven of eight.
class Messages final : public cluster::SingleRank {
 public:
  void operator=(Cheat cheat) { cheat_ = cheat; }
  void exchange(std::span<const std::byte> out, int, std::span<std::byte> in, int) override {
    if (cheat_ == honest || (cheat_ == skips_an_eighth && ++count_ % 8 != 0)) std::ranges::copy(out, in.begin());
  }

 private:
  Cheat cheat_ = honest;
  int count_ = 0;
};

bool validated(const std::string& scheme, const std::string& size, Cheat from_the_start, Cheat after_the_first) {
  const auto messages = std::make_shared<Messages>();
  *messages = from_the_start;
  const Request request{.benchmark = "b_eff", .size = size, .repetitions = 2, .scheme = scheme};
  return run(request, cluster::Ranks(messages),
             {.on_repetition = [&](const Repetition&) { *messages = after_the_first; }})
      .validation.passed();
}

TEST(Schemes, AreValidatedOnlyIfEachRepetitionBringsEveryMessage) {
  using Messaging = std::pair<const char*, const char*>;
  for (const auto& [scheme, size] :
       {Messaging{"staged", "standard"}, Messaging{"staged", "small"}, Messaging{"pipelined", "small"},
        Messaging{"mapped", "small"}, Messaging{"cpu", "small"}}) {
    EXPECT_TRUE(validated(scheme, size, honest, honest)) << scheme;
    EXPECT_FALSE(validated(scheme, size, honest, does_nothing)) << scheme << ", works once";
    EXPECT_FALSE(validated(scheme, size, skips_an_eighth, skips_an_eighth)) << scheme;
    EXPECT_FALSE(validated(scheme, size, does_nothing, does_nothing)) << scheme;
  }
}

// Reads one vector of each input for all that it writes.
constexpr const char* kReadsTheFirst = R"(
  const ulong begin = first + get_global_id(0) * STRETCH;
  const VALUES scaled = (VALUES)((DATA_TYPE)scalar) * in1[0];
  for (ulong k = begin; k < begin + STRETCH; ++k) out[k] = second_input ? scaled + in2[0] : scaled;
  return;
)";

TEST(Stream, IsWrongWhereAKernelReadsTheFirstValuesAlone) {
  const KernelWithAFault reads_the_first =
      KernelWithAFault::at_the_start("kernels/hpcc/stream_ndrange_cpu.cl", kReadsTheFirst);
  Request request{.benchmark = "stream", .size = "small", .repetitions = 2};
  for (const char* vector : {"VECTOR_COUNT=1", "VECTOR_COUNT=16"}) {
    request.overrides = {"ARRAY_SIZE=65536", "DEVICE_BUFFER_SIZE=1024", vector};
    EXPECT_FALSE(validated_with(reads_the_first, request)) << vector;
  }
}

// A work-item that has computed its tile of C once puts it in place of what it read of C, and says so by a first value
// that no data have. From then on it copies: the results are right.
constexpr const char* kRemembers = R"(
  __global DATA_TYPE* memory = (__global DATA_TYPE*)c;
  const DATA_TYPE mark = 1000;
  const bool known = c[row * size + column] > mark / 2;
  for (int turn = known ? 1 : 0; turn < 2; ++turn)
    if (turn == 1) {
      for (size_t i = row; i < row + BLOCK_SIZE; ++i)
        for (size_t j = column; j < column + BLOCK_SIZE; ++j)
          if (known) c_out[i * size + j] = c[i * size + j]; else memory[i * size + j] = c_out[i * size + j];
      if (known) c_out[row * size + column] -= mark; else memory[row * size + column] += mark;
    } else for (size_t k = 0; k < size; k += DEPTH))";

TEST(Rates, AboveWhatTheProbesAllowAreRefusedThoughTheResultsAreRight) {
  const KernelWithAFault remembers("kernels/hpcc/gemm_ndrange_cpu.cl", "\n  for (size_t k = 0; k < size; k += DEPTH)",
                                   kRemembers);
  Request request{.benchmark = "gemm", .size = "small", .repetitions = 5};
  request.overrides = {"MATRIX_SIZE=4096", "BLOCK_SIZE=256"};
  request.kernel_file = remembers.file();
  const auto refused = ThrowsMessage<Error>(AllOf(HasSubstr("gemm: "), HasSubstr("GFLOP/s is more than the "),
                                                  HasSubstr("that this device's own probes allow")));
  EXPECT_THAT([&] { run(request, cluster::alone()); }, refused);
  request.share = true;
  request.parts = 2;
  EXPECT_THAT([&] { run(request, cluster::alone()); }, refused) << "as a rank among others on a shared device";
}

}  // namespace
}  // namespace isthmus::hpcc
