// Host threads that share one device, each with messages, buffers, a queue and results of its own (choi2019 5.3).
#include <gmock/gmock.h>

#include <numeric>

#include "application/messages_beside.hpp"
#include "flows/mix.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::program {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kF1 = "model:aws-f1";

Application<Number, Number> mix_of(int host_threads) {
  auto application = mix();
  application.extras.host_threads = host_threads;
  return application;
}

Run run(const ByteApplication& application, int count, const char* target = kF1,
        const std::vector<std::string>& overrides = {}) {
  return open_target(target, overrides)->run({.application = application, .flow = "offload", .count = count});
}

FlowTimes times(int host_threads, int count, const std::vector<std::string>& overrides = {}) {
  const auto result = run(mix_of(host_threads).bytes(), count, kF1, overrides);
  EXPECT_TRUE(result.right());
  return result.times;
}

double rate(const FlowTimes& times) {
  return static_cast<double>(times.latencies.size()) / times.elapsed.seconds();
}

double overhead(const FlowTimes& times) {
  return 1 - times.computing.value().seconds() / times.elapsed.seconds();
}

Time of_kernel(const FlowTimes& times) {
  return std::ranges::find(times.stages, std::string("kernel"), &Stage::name)->time;
}

class Shared : public testing::TestWithParam<const char*> {};

TEST_P(Shared, EachThreadGetsTheResultsOfItsMessagesAndTheyAreSeenInTheirOrder) {
  constexpr int kMessages = 23;
  for (const int threads : {1, 3, 16, 40}) {
    auto application = mix_of(threads).bytes();
    std::vector<std::vector<std::byte>> received;
    application.extras.received = [&](std::span<const std::byte> out) {
      received.emplace_back(out.begin(), out.end());
    };
    EXPECT_TRUE(run(application, kMessages, GetParam()).right()) << threads;
    ASSERT_EQ(received.size(), kMessages) << threads;
    std::vector<std::byte> in(application.input);
    std::vector<std::byte> out(application.output);
    for (int message = 0; message < kMessages; ++message) {
      application.fill(message, in);
      application.reference(in, out);
      EXPECT_EQ(received[static_cast<std::size_t>(message)], out) << threads << " threads, message " << message;
    }
  }
}

TEST_P(Shared, AThreadThatGetsTheResultOfAnotherIsFound) {
  auto application = mix_of(3).bytes();
  const auto fill = application.fill;
  // What the device is given as message 4 is another thread's message 5; the comparison draws the real one.
  application.reference = [reference = application.reference, fill](std::span<const std::byte> in,
                                                                    std::span<std::byte> out) {
    std::vector<std::byte> fourth(in.size());
    std::vector<std::byte> fifth(in.size());
    fill(4, fourth);
    fill(5, fifth);
    reference(std::ranges::equal(in, fourth) ? fifth : in, out);
  };
  const auto difference = run(application, 12, GetParam()).difference;
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->message, 4);
  EXPECT_EQ(difference->messages, 1);
}

INSTANTIATE_TEST_SUITE_P(Devices, Shared, testing::Values("opencl:0", kF1));

TEST(SharedDevice, AThreadThatFailsEndsTheOthers) {
  auto application = mix_of(4).bytes();
  application.fill = [](int message, std::span<std::byte>) {
    if (message == 9) throw Error("message 9 cannot be drawn");
  };
  EXPECT_THAT([&] { run(application, 24); }, ThrowsMessage<Error>(HasSubstr("message 9 cannot be drawn")));
}

TEST(SharedDevice, GivesAllThreadsTogetherAsMuchAsEachAloneUntilItsKernelIsBusy) {
  const std::vector<std::string> slow{"kernel.launch=100us"};
  const double alone = rate(times(1, 96, slow));
  EXPECT_NEAR(rate(times(2, 96, slow)) / alone, 2, 0.1);
  // A kernel's launches follow each other, each from its driver's work to its end.
  const FlowTimes many = times(16, 320, slow);
  const double most = 320 / of_kernel(many).seconds();
  EXPECT_LT(most, 16 * alone) << "there is a limit to find";
  EXPECT_LE(rate(many), most);
  EXPECT_GE(rate(many), 0.95 * most);
}

TEST(SharedDevice, IsIdleForALesserShareTheMoreThreadsShareIt) {
  double before = 1;
  for (const int threads : {1, 2, 4, 8}) {
    const double share = overhead(times(threads, 96));
    EXPECT_LT(share, before) << threads;
    before = share;
  }
}

TEST(SharedDevice, ComputesWhileItsLaunchesLastButForTheDriversWork) {
  // The thread that launches pays 4 us of the 40 itself.
  for (const int threads : {1, 5}) {
    const FlowTimes all = times(threads, 60, {"kernel.launch=40us", "host.call.enqueue=4us"});
    EXPECT_EQ(of_kernel(all).femtoseconds(), (all.computing.value() + Time::us(60 * 36)).femtoseconds()) << threads;
  }
}

TEST(SharedDevice, IsRefusedWhereAFlowHasThreadsOfItsOwn) {
  const auto application = mix_of(2).bytes();
  EXPECT_THAT([&] { open_target(kF1, {})->run({.application = application, .flow = "overlap", .count = 4}); },
              ThrowsMessage<Error>(HasSubstr("host_threads: expected 1 in the flow overlap")));
}

TEST(SharedMessages, AreComparedInTheirOrderHoweverTheyFinish) {
  auto application = mix().bytes();
  std::vector<int> compared;
  Checker checker(application, [&](int count) { compared.push_back(count); });
  std::vector<Number> firsts;
  application.extras.received = [&](std::span<const std::byte> out) {
    Number first = 0;
    std::memcpy(&first, out.data(), sizeof(first));
    firsts.push_back(first);
  };
  MessagesBeside messages(application, checker);
  constexpr int kMessages = 40;
  std::vector<int> order(kMessages);
  std::iota(order.rbegin(), order.rend(), 0);  // the first finishes last
  for (const int message : order) {
    const auto in = messages.input(message);
    application.reference(in, messages.output(message));
    messages.finished(message);
  }
  messages.compare_rest();
  EXPECT_FALSE(checker.difference());
  ASSERT_EQ(firsts.size(), kMessages);
  Numbers in(kMany + kFew);
  for (int message = 0; message < kMessages; ++message) {
    application.fill(message, std::as_writable_bytes(std::span(in)));
    EXPECT_EQ(firsts[static_cast<std::size_t>(message)], in[kMany] + in[0]) << message;
  }
  EXPECT_EQ(compared.size(), kMessages);
}

}  // namespace
}  // namespace isthmus::program
