// The applications on threads of this machine, with a copy of the kernel on each and with pauses at its ends: what
// ThreadSanitizer looks at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apps/installed.hpp"
#include "isthmus/base/error.hpp"
#include "program/target.hpp"

namespace isthmus::apps {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Case {
  std::string name;
  Chosen chosen;
  int messages;
};

program::Run run(const Case& of, int workers, const program::Faults& faults = {}) {
  const program::ByteApplication application = installed(of.name, of.chosen);
  application.extras.open({.count = of.messages, .seed = 1, .note = [](const std::string&) {}});
  return program::open_target("native", {})
      ->run({.application = application, .flow = "stream", .count = of.messages, .workers = workers, .faults = faults});
}

class OnThreads : public testing::TestWithParam<Case> {
 protected:
  static bool right(int workers, const program::Faults& faults) { return run(GetParam(), workers, faults).right(); }
};

TEST_P(OnThreads, ItsOutputsAreRightWithOneWorkerAndWithAKernelOnEachOfThree) {
  for (const int workers : {1, 3}) EXPECT_TRUE(right(workers, {})) << workers;
}

TEST_P(OnThreads, ItsOutputsAreRightWhereBothEndsOfTheLinkPause) {
  EXPECT_TRUE(right(3, {.stall = 0.02}));
}

TEST_P(OnThreads, ADeadConsumerEndsAllThreadsAndIsToldInOneLine) {
  EXPECT_THAT([&] { right(3, {.die = 3}); },
              ThrowsMessage<Error>(HasSubstr("a dead consumer, its thread ended after 3 messages")));
}

INSTANTIATE_TEST_SUITE_P(Applications, OnThreads,
                         testing::Values(Case{"hash-lookup", {{"lambda", 2}, {"table", 1}, {"batch", 512}}, 8},
                                         Case{"packet-encryption", {{"packet_size", 300}, {"batch", 32}}, 8},
                                         Case{"table-select", {{"selectivity", 0.3}, {"batch", 64}}, 8}),
                         [](const auto& each_case) {
                           std::string name = each_case.param.name;
                           for (char& each : name)
                             if (each == '-') each = '_';
                           return name;
                         });

}  // namespace
}  // namespace isthmus::apps
