// Applications on a board with shared memory: their bytes, and what their pace depends on.
#include "flows/shared/shared_flow.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "application/increments.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kBoard = "model:xeon-fpga-v1";
constexpr std::size_t kOfMessage = 16 * 64;  // numbers

template <class Actor>
Application<Number, Number> of_actor(std::size_t numbers = kOfMessage) {
  return {.name = "increments",
          .summary = "each number and 1",
          .input = numbers,
          .output = numbers,
          .kernel =
              [](Kernel& kernel) {
                auto& actor = kernel.add<Actor>("actor");
                kernel.from_host(actor.in);
                kernel.to_host(actor.out);
                if constexpr (requires { actor.control; }) kernel.control(actor.control, actor.status);
              },
          .fill = fill,
          .reference =
              [](std::span<const Number> in, std::span<Number> out) {
                for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 1;
              }};
}

BoardRun shared(const ByteApplication& application, int messages, const std::vector<std::string>& overrides = {},
                Grain grain = Grain::fine, const char* board = kBoard) {
  return run_shared(platform::load(platform::file_of(board), overrides),
                    {.application = application, .flow = "shared", .count = messages, .grain = grain});
}

double elapsed(const std::vector<std::string>& overrides, std::size_t numbers = kOfMessage) {
  return shared(of_actor<Increment>(numbers).bytes(), 8, overrides).run.times.elapsed.seconds();
}

TEST(SharedFlow, GivesTheReferencesBytesInMemoryThatIsUsedAgainAndAgain) {
  const BoardRun result = shared(of_actor<Increment>().bytes(), 20);
  EXPECT_FALSE(result.run.difference);
  EXPECT_EQ(result.run.times.latencies.size(), 20U);
}

/// Words of messages that end within a line, of one word, and of lines.
TEST(SharedFlow, OverLongLinesMovesWholeOnesAndWhatIsLeft) {
  for (const std::size_t words : {1, 3, 4, 16})
    for (const char* translated : {"true", "false"}) {
      const BoardRun result =
          shared(of_actor<Increment>(words * 16).bytes(), 8, {fmt::format("translation.enabled={}", translated)},
                 Grain::fine, "model:ibm-capi");
      EXPECT_FALSE(result.run.difference) << words;
    }
  const auto time = [](std::size_t words) {
    return shared(of_actor<Increment>(words * 16).bytes(), 8, {}, Grain::fine, "model:ibm-capi").run.times.elapsed;
  };
  EXPECT_LT((time(2) - time(1)).seconds(), 0.02 * time(1).seconds()) << "two words are one line";
}

TEST(SharedFlow, NamesTheMessageThatDiffers) {
  auto application = of_actor<Increment>();
  application.reference = [](std::span<const Number> in, std::span<Number> out) { std::ranges::copy(in, out.begin()); };
  ASSERT_TRUE(shared(application.bytes(), 3).run.difference);
  EXPECT_EQ(shared(application.bytes(), 3).run.difference->messages, 3);
}

TEST(SharedFlow, TellsTheKernelWhatItMustKnow) {
  auto application = of_actor<Told>();
  application.extras.control = {.messages = {1}, .ready = Told::kReady};
  EXPECT_FALSE(shared(application.bytes(), 4).run.difference);
  application.extras.control.messages = {2};
  EXPECT_TRUE(shared(application.bytes(), 4).run.difference);
}

TEST(SharedFlow, OfAKernelThatIsSilentEnds) {
  EXPECT_THAT([] { shared(of_actor<Silent>().bytes(), 1); },
              ThrowsMessage<Error>(HasSubstr("message 0 has not come back from the kernel")));
}

TEST(SharedFlow, OfSmallMessagesTakesTheRoundTripAndTheStore) {
  EXPECT_GT(elapsed({"link.qpi.round_trip=1us"}, 16), 1.5 * elapsed({}, 16));
  EXPECT_GT(elapsed({"host.mmio.store=10us"}, 16), 4 * elapsed({}, 16));
}

TEST(SharedFlow, IsSlowerWithFewerLinesUnderWay) {
  EXPECT_GT(elapsed({"cache.reads_in_flight=2"}), 2 * elapsed({}));
  EXPECT_GT(elapsed({"cache.writes_in_flight=2"}), 2 * elapsed({}));
}

TEST(SharedFlow, CoarseTakesAsLongWithinATwentieth) {
  auto application = of_actor<Increment>(16 * kOfMessage);
  application.extras.steady = true;
  const BoardRun fine = shared(application.bytes(), 60);
  const BoardRun coarse = shared(application.bytes(), 60, {}, Grain::coarse);
  EXPECT_EQ(coarse.grain, Grain::coarse);
  EXPECT_FALSE(coarse.run.difference);
  EXPECT_NEAR(coarse.run.times.elapsed.seconds() / fine.run.times.elapsed.seconds(), 1, 0.05);
}

TEST(SharedFlow, IsOfBoardsWithSharedMemoryAlone) {
  const ByteApplication application = of_actor<Increment>().bytes();
  EXPECT_THAT(open_target(kBoard, {})->flows(application), ElementsAre("shared"));
  EXPECT_THAT(open_target("model:aws-f1", {})->flows(application), ElementsAre("stream"));
  EXPECT_THAT(
      [&] { open_target("model:aws-f1", {})->require_flow(application, "shared"); },
      ThrowsMessage<Error>(HasSubstr("flow 'shared': expected a board with coherent-link and translation and cache")));
}

}  // namespace
}  // namespace isthmus::program
