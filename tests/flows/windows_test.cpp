// The windows of a modelled stream: against what must have gone through them, Little's law and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "application/one_actor.hpp"
#include "flows/stream/stream_flow.hpp"
#include "isthmus/program.hpp"
#include "platform/usual_keys.hpp"
#include "stream/echo.hpp"

namespace isthmus::program {
namespace {

using platform::Part;

ByteApplication echo(std::size_t bytes) {
  return {.name = "echo",
          .summary = "what came",
          .input = bytes,
          .output = bytes,
          .kernel = host_to_host<Echo>("echo"),
          .fill = [](int, std::span<std::byte> message) { std::ranges::fill(message, std::byte{1}); },
          .reference = [](auto in, auto out) { std::ranges::copy(in, out.begin()); }};
}

using Overrides = std::vector<std::string>;

BoardRun run(std::size_t bytes, int messages, const Overrides& overrides, const char* board = "model:aws-f1") {
  const ByteApplication application = echo(bytes);
  BoardRun result = run_stream(platform::load(platform::file_of(board), overrides),
                               {.application = application, .flow = "stream", .count = messages});
  EXPECT_FALSE(result.run.difference);
  return result;
}

const Part& part(const BoardRun& result, const std::string& name) {
  const auto found = std::ranges::find(result.parts, name, &Part::name);
  if (found == result.parts.end()) throw std::runtime_error("no part " + name);
  return *found;
}

double share(const Part& part) {
  return part.busy.seconds() / part.lifetime.seconds();
}

/// The entries under way on average by Little's law, over those there are.
double fill_of(const Part& part) {
  return static_cast<double>(part.window->taken) * part.window->round_trip.seconds() / part.lifetime.seconds() /
         static_cast<double>(part.window->size);
}

TEST(Windows, EveryPartNamesKeysThatThereAre) {
  for (const Part& part : run(4096, 2, {}).parts) {
    EXPECT_FALSE(part.keys.empty()) << part.name;
    for (const std::string& key : part.keys)
      EXPECT_EQ(std::ranges::count(platform::testing::usual_keys(), key), 1) << part.name << ": " << key;
  }
}

/// One of some values for each of the keys that bound what is under way.
Overrides some_overrides(std::mt19937_64& random) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> choices{
      {"stream.requests_in_flight", {"1", "2", "16", "64"}},
      {"link.pcie.tags", {"1", "4", "32", "256"}},
      {"link.pcie.posted_header_credits", {"1", "2", "5", "64"}},
      {"link.pcie.posted_data_credits", {"8", "16", "100", "1024"}},
      {"link.pcie.nonposted_header_credits", {"1", "3", "64"}},
      {"stream.input_buffers", {"1", "2", "8", "64"}},
      {"stream.output_buffers", {"1", "2", "8", "64"}},
      {"stream.porter_period", {"1us", "10us", "100us"}},
      {"link.pcie.round_trip", {"700ns", "1us", "20us"}},
      {"link.pcie.flight", {"10ns", "150ns", "250ns"}},
      {"kernel.clock", {"20", "250"}}};
  Overrides overrides;
  for (const auto& [key, values] : choices) overrides.push_back(key + "=" + values[random() % values.size()]);
  return overrides;
}

/// No rate is above the most that Little's law gives its window.
void expect_within_its_window(const BoardRun& result, const Part& part) {
  const double rate = static_cast<double>(part.window->taken) / result.run.times.elapsed.seconds();
  const double most = static_cast<double>(part.window->size) / part.window->round_trip.seconds();
  EXPECT_LE(rate, most * (1 + 1e-7)) << part.name;
}

TEST(Windows, WhateverTheSettingsEachHasItsWholeLifeAndWhatWentThroughItObeysLittlesLaw) {
  constexpr std::uint64_t kDraws = 40;
  std::mt19937_64 random(7);
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    const std::size_t bytes = std::vector<std::size_t>{64, 4096, 65536}[random() % 3];
    const int messages = static_cast<int>(random() % 30 + 1);
    const Overrides overrides = some_overrides(random);
    std::string trace = "draw " + std::to_string(draw) + ", " + std::to_string(bytes) + " B";
    for (const std::string& assignment : overrides) trace += ' ' + assignment;
    SCOPED_TRACE(trace);
    const char* board = random() % 2 == 0 ? "model:aws-f1" : "model:alpha-data-7v3";
    const BoardRun result = run(bytes, messages, overrides, board);
    for (const Part& each : result.parts) {
      EXPECT_EQ(each.busy + each.starved + each.blocked, each.lifetime) << each.name;
      EXPECT_GE(each.busy, Time{}) << each.name;
      EXPECT_GE(each.starved, Time{}) << each.name;
      if (!each.window) continue;
      // The mean round trip is a whole number of femtoseconds, a rounding for each entry taken.
      EXPECT_LE(fill_of(each), 1 + 1e-7) << each.name;
      // Full lasts until the return, the round trip to the last output at most.
      const double tail = 1 - result.run.times.elapsed.seconds() / result.run.times.lasted.seconds();
      EXPECT_GE(fill_of(each) + tail + 1e-7, each.window->size == 1 ? share(each) : 0) << each.name;
      expect_within_its_window(result, each);
    }
    // What each is handed out for has another count: messages, their bytes, read requests of up to 512 B, packets.
    const auto taken = [&](const char* name) { return part(result, name).window->taken; };
    const auto total = static_cast<std::int64_t>(bytes) * messages;
    EXPECT_EQ(taken("input buffers"), messages);
    EXPECT_EQ(taken("output buffers"), messages);
    EXPECT_EQ(taken("requests in flight"), total);
    EXPECT_EQ(taken("PCIe tags"), std::max<std::int64_t>(messages, total / 512));
  }
}

TEST(Windows, AStreamOfOneRequestAtATimeGoesAtOneARoundTrip) {
  const BoardRun result = run(65536, 20,
                              {"stream.requests_in_flight=1", "stream.request_size=512B", "link.pcie.round_trip=20us",
                               "stream.porter_period=1us"});
  const Part& requests = part(result, "requests in flight");
  // The completions' time on the wire: 512 B in packets of 128 B with 26 B of overhead, on 16 lanes of 8 GT/s.
  const double on_wire = (512 + 4 * 26) / (16 * 1e9 * 128 / 130);
  const double round_trip = 20e-6 + on_wire;
  EXPECT_NEAR(requests.window->round_trip.seconds(), round_trip, 0.005 * round_trip);
  EXPECT_GT(share(requests), 0.98);
  // Full all the time, it lets one request a round trip through.
  EXPECT_NEAR(result.run.times.elapsed.seconds(), 20 * 65536.0 / 512 * round_trip,
              0.01 * result.run.times.elapsed.seconds());
  EXPECT_NEAR(fill_of(requests), 1, 0.02);
  EXPECT_LT(share(part(result, "PCIe tags")), 0.01) << "there are 32";
}

TEST(Windows, AStreamIsAsFastAsLittlesLawLetsItsRequests) {
  constexpr std::size_t kBytes = std::size_t{1} << 20U;
  constexpr int kMessages = 16;
  for (const int requests : {2, 4, 8}) {
    const BoardRun result =
        run(kBytes, kMessages, {"stream.porter_period=1us", "stream.requests_in_flight=" + std::to_string(requests)});
    const double rate = kMessages * static_cast<double>(kBytes) / result.run.times.elapsed.seconds();
    const Part& window = part(result, "requests in flight");
    const double most = static_cast<double>(window.window->size) / window.window->round_trip.seconds();
    EXPECT_NEAR(rate, most, 0.03 * most) << requests;
    EXPECT_EQ(platform::bottleneck(result.parts, result.run.times.lasted).part, "requests in flight") << requests;
  }
}

TEST(Windows, TheOneThatIsMadeSmallIsFull) {
  struct Sizes {
    const char* name;
    std::string key;
    const char* small;
    const char* large;
  };
  for (const Sizes& sizes : {Sizes{"PCIe tags", "link.pcie.tags", "1", "256"},
                             Sizes{"posted header credits", "link.pcie.posted_header_credits", "1", "64"},
                             Sizes{"posted data credits", "link.pcie.posted_data_credits", "8", "1024"},
                             Sizes{"requests in flight", "stream.requests_in_flight", "1", "128"},
                             Sizes{"input buffers", "stream.input_buffers", "1", "64"},
                             Sizes{"output buffers", "stream.output_buffers", "1", "64"}}) {
    const auto full = [&sizes](const char* size) {
      return share(part(run(65536, 40, {"stream.porter_period=1us", sizes.key + "=" + size}), sizes.name));
    };
    EXPECT_GT(full(sizes.small), 0.8) << sizes.name;
    EXPECT_LT(full(sizes.large), 0.2) << sizes.name;
  }
}

TEST(Windows, SmallMessagesWaitForThePorter) {
  const BoardRun result = run(4096, 200, {});
  EXPECT_GT(share(part(result, "porter")), 0.95);
  EXPECT_GT(share(part(result, "input buffers")), 0.6);
  EXPECT_LT(share(part(result, "PCIe device to host")), 0.2);
}

}  // namespace
}  // namespace isthmus::program
