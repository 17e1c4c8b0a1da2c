#include "isthmus/base/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace isthmus {
namespace {

TEST(Interrupt, IsOnlyNotedUntilTheProgramAsksForIt) {
  watch_for_interrupts();
  EXPECT_NO_THROW(stop_if_interrupted());
  std::raise(SIGINT);
  EXPECT_THROW(stop_if_interrupted(), Interrupted);
}

}  // namespace
}  // namespace isthmus
