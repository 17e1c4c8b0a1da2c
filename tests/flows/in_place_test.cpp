// A datapath on messages that stay in shared memory: its launches, what they hand on, and what their pace depends on.
#include "flows/shared/in_place.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <memory>
#include <optional>

#include "application/increments.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kBoard = "model:xeon-fpga-v1";
constexpr std::size_t kWords = 64;
constexpr std::size_t kBytes = kWords * kWordBytes;

/// Each number and 1, a word at a time in `cycles`.
class Increments final : public offload::Datapath {
 public:
  explicit Increments(int cycles, bool silent = false) : cycles_(cycles), silent_(silent) {}
  std::uint64_t onchip_bytes() const override { return 64; }
  std::uint64_t regions() const override { return kWords; }
  offload::Region region(std::size_t, std::uint64_t number) const override {
    return {.argument = 0, .offset = number * kWordBytes, .bytes = kWordBytes};
  }
  Rounds rounds() const override { return {.first = 1, .length = 1}; }
  offload::Region result() const override { return {.argument = 1, .offset = 0, .bytes = kBytes}; }
  void begin() override { held_.reset(); }
  int take(std::size_t, const Word& word) override {
    ready_ = std::exchange(held_, plus(word, 1));
    return cycles_;
  }
  bool give(Word& word) override {
    if (!ready_ || silent_) return false;
    word = *std::exchange(ready_, {});
    return true;
  }
  int finish() override {
    ready_ = std::exchange(held_, {});
    return 0;
  }

 private:
  int cycles_;
  bool silent_;
  std::optional<Word> held_;  ///< the last one stays until the end
  std::optional<Word> ready_;
};

/// Launch after launch adds 1, from the input to scratch memory and on to the output.
ByteApplication increments(int launches, int cycles = 1, bool silent = false) {
  const offload::DatapathMaker path = [=] { return std::make_unique<Increments>(cycles, silent); };
  DeviceKernel kernel{.twin = offload::datapath_model("increments", path), .arguments = {}};
  for (int launch = 0; launch < launches; ++launch) {
    const auto to = [&](int of) -> KernelArgument {
      if (of == launches - 1) return OutputBuffer{};
      return ScratchBuffer{static_cast<std::size_t>(of % 2)};
    };
    std::vector<KernelArgument> arguments{launch == 0 ? KernelArgument{InputBuffer{}} : to(launch - 1), to(launch)};
    if (launch == 0)
      kernel.arguments = arguments;
    else
      kernel.further.push_back(arguments);
  }
  kernel.scratch = {kBytes, kBytes};
  return Application<Number, Number>{.name = "increments",
                                     .summary = "each number and 1, again and again",
                                     .input = kBytes / sizeof(Number),
                                     .output = kBytes / sizeof(Number),
                                     .fill = fill,
                                     .reference =
                                         [launches](std::span<const Number> in, std::span<Number> out) {
                                           for (std::size_t i = 0; i < in.size(); ++i)
                                             out[i] = in[i] + static_cast<Number>(launches);
                                         },
                                     .extras = {.device = kernel, .datapath = path, .iterates = true}}
      .bytes();
}

Run run(const std::string& target, const std::string& flow, const ByteApplication& application, int count = 1,
        const std::vector<std::string>& overrides = {}) {
  return open_target(target, overrides)->run({.application = application, .flow = flow, .count = count});
}

double elapsed(const ByteApplication& application, const std::vector<std::string>& overrides = {}) {
  return run(kBoard, "shared", application, 1, overrides).times.elapsed.seconds();
}

TEST(InPlace, EachLaunchReadsWhatTheOneBeforeHasWrittenWhereverMemoryIs) {
  for (const int launches : {1, 2, 5}) {
    for (const auto& [target, flow] :
         {std::pair{kBoard, "shared"}, std::pair{"model:ibm-capi", "shared"}, std::pair{"model:xeon-fpga-v2", "shared"},
          std::pair{"model:aws-f1", "offload"}, std::pair{"model:aws-f1", "overlap"}}) {
      const auto done = run(target, flow, increments(launches), 3);
      EXPECT_FALSE(done.difference) << target << flow << launches;
      EXPECT_EQ(done.times.launches.size(), 3U * static_cast<std::size_t>(launches));
      EXPECT_EQ(done.times.latencies.size(), 3U);
    }
  }
}

TEST(InPlace, LinesMayGoOverAnyChannel) {
  for (const char* channel : {"va", "vh0"}) {
    const auto target = open_target("model:xeon-fpga-v2", {}, channel);
    EXPECT_FALSE(target->run({.application = increments(3), .flow = "shared", .count = 2}).difference) << channel;
  }
}

TEST(InPlace, AMessageThatDiffersIsFound) {
  ByteApplication application = increments(2);
  const auto reference = application.reference;
  application.reference = [reference](std::span<const std::byte> in, std::span<std::byte> out) {
    reference(in, out);
    out.back() ^= std::byte{1};
  };
  const auto difference = run(kBoard, "shared", application, 2).difference;
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->messages, 2);
  EXPECT_EQ(difference->elements, 2);
}

TEST(InPlace, ALaunchTakesTheLibrarysCallTheStoreAndTheRoundTrip) {
  const double usual = elapsed(increments(1));
  EXPECT_NEAR(elapsed(increments(1), {"kernel.launch=25us"}) - usual, 20e-6, 0.1e-6);
  EXPECT_NEAR(elapsed(increments(1), {"host.mmio.store=10100ns"}) - usual, 10e-6, 0.1e-6);
  EXPECT_GT(elapsed(increments(1), {"link.qpi.round_trip=2us"}) - usual, 3e-6);
}

TEST(InPlace, ACircuitThatIsBusyTakesItsCycles) {
  const double few = elapsed(increments(1, 400));
  const double more = elapsed(increments(1, 500));
  EXPECT_NEAR(more - few, kWords * 100 / 200e6, 1e-7);
}

TEST(InPlace, ADatapathThatGivesNothingEnds) {
  EXPECT_THAT([] { elapsed(increments(1, 1, true)); },
              ThrowsMessage<Error>(HasSubstr("expected the last word of its result at the end, got none")));
}

TEST(InPlace, ARegionIsOfABuffer) {
  ByteApplication application = increments(1);
  application.extras.device->arguments = {KernelArgument{std::int32_t{3}}, OutputBuffer{}};
  EXPECT_THAT([&] { elapsed(application); },
              ThrowsMessage<Error>(HasSubstr("expected a buffer of a message or of scratch")));
}

TEST(InPlace, ApplicationsWithADatapathHaveTheFlowsOfTheirDataInMemory) {
  EXPECT_THAT(open_target(kBoard, {})->flows(increments(1)), ElementsAre("shared"));
  EXPECT_THAT(open_target("model:aws-f1", {})->flows(increments(1)), ElementsAre("offload", "overlap"));
}

TEST(DifferencesThatAgree, AreNone) {
  const auto bytes = [](float value) { return std::bit_cast<std::array<std::byte, sizeof(float)>>(value); };
  const ElementsAgree agree = [](std::span<const std::byte> expected, std::span<const std::byte> got) {
    return std::to_integer<int>(expected[3]) == std::to_integer<int>(got[3]);
  };
  Differences near(sizeof(float), hexadecimal, agree);
  near.compare(0, bytes(1.0F), bytes(1.25F));
  EXPECT_FALSE(near.found());
  near.compare(1, bytes(1.0F), bytes(-1.0F));
  ASSERT_TRUE(near.found());
  EXPECT_EQ(near.found()->messages, 1);
  EXPECT_EQ(near.found()->of_messages, 2);
}

}  // namespace
}  // namespace isthmus::program
