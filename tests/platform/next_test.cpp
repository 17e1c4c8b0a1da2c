#include "isthmus/platform/next.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "platform/fixture.hpp"

namespace isthmus::platform::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NextValues steps(std::string_view key, const std::vector<std::string>& overrides = {}) {
  const Description description = load_text(f1(), overrides);
  return next_values(description, input(description, key));
}

TEST(NextValues, HalveTimesAndDoubleRates) {
  EXPECT_THAT(steps("link.pcie.round_trip").faster, ElementsAre(0.5));
  EXPECT_THAT(steps("link.pcie.round_trip").slower, ElementsAre(2));
  EXPECT_THAT(steps("kernel.clock").faster, ElementsAre(500));
  EXPECT_THAT(steps("kernel.clock").slower, ElementsAre(125));
  EXPECT_THAT(steps("stream.requests_in_flight").faster, ElementsAre(32));
}

TEST(NextValues, AreThoseThatDevicesAreBuiltWith) {
  EXPECT_THAT(steps("link.pcie.lanes").faster, IsEmpty()) << "no card has 32 lanes";
  EXPECT_THAT(steps("link.pcie.lanes").slower, ElementsAre(8));
  EXPECT_THAT(steps("link.pcie.lanes", {"link.pcie.lanes=5"}).faster, ElementsAre(8));
  EXPECT_THAT(steps("link.pcie.lanes", {"link.pcie.lanes=5"}).slower, ElementsAre(4));
  EXPECT_THAT(steps("link.pcie.generation").faster, ElementsAre(4));
  EXPECT_THAT(steps("link.pcie.generation", {"link.pcie.generation=5"}).faster, IsEmpty());
}

TEST(NextValues, LieInBothDirectionsWhereItDependsOnWhatPasses) {
  EXPECT_THAT(steps("stream.buffer_size", {"stream.buffer_size=1MiB"}).faster, ElementsAre(2, 0.5));
}

TEST(NextValues, StopAtTheRangeOfTheKey) {
  EXPECT_THAT(steps("link.pcie.posted_header_credits").faster, ElementsAre(127)) << "64, of at most 127";
  EXPECT_THAT(steps("link.pcie.posted_header_credits", {"link.pcie.posted_header_credits=127"}).faster, IsEmpty());
  EXPECT_THAT(steps("link.pcie.tags", {"link.pcie.tags=1"}).slower, IsEmpty());
  EXPECT_THAT(steps("host.copy.enabled").faster, IsEmpty());
}

TEST(NextValues, LeaveOutWhatContradictsAnotherKey) {
  EXPECT_THAT(steps("stream.request_size", {"stream.request_size=4KiB", "stream.buffer_size=4KiB"}).faster,
              ElementsAre(2));
}

TEST(NextValues, OfEveryKeyAreTakenByTheBoard) {
  const Description description = load_text(f1());
  for (const Input& input : description.inputs()) {
    const NextValues next = next_values(description, input);
    for (const auto& values : {next.faster, next.slower})
      for (const double value : values) {
        EXPECT_NE(value, std::get<double>(input.value)) << input.name;
        EXPECT_NO_THROW(load_text(f1(), {fmt::format("{}={}", input.name, value)})) << input.name;
      }
  }
}

}  // namespace
}  // namespace isthmus::platform::testing
