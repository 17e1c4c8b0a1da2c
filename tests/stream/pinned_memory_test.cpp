#include "isthmus/stream/pinned_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(PinnedMemory, RefusesTheDeviceWhatAHostThreadHolds) {
  PinnedMemory memory;
  const auto mine = memory.allocate({4096});
  const auto other = memory.allocate({4096});
  auto loan = memory.lend(mine.addr);
  EXPECT_EQ(memory.lent(), 1U);
  EXPECT_THAT([&] { memory.at(mine.addr + 64, 64); }, ThrowsMessage<Error>(HasSubstr("while a host thread holds it")));
  EXPECT_EQ(memory.at(other.addr, 4096), other.bytes.data());
  loan.end();
  EXPECT_EQ(memory.at(mine.addr + 64, 64), mine.bytes.data() + 64);
  EXPECT_EQ(memory.lent(), 0U);
}

TEST(PinnedMemory, RefusesBytesThatPassTheEndOfTheirRegionOrAreInNone) {
  PinnedMemory memory;
  const auto region = memory.allocate({100});
  EXPECT_EQ(memory.at(region.addr + 36, 64), region.bytes.data() + 36);
  EXPECT_THAT([&] { memory.at(region.addr + 37, 64); }, ThrowsMessage<Error>(HasSubstr("pass the end")));
  EXPECT_THAT([&] { memory.at(region.addr - 1, 1); }, ThrowsMessage<Error>(HasSubstr("is no pinned memory")));
}

TEST(PinnedMemory, KeepsOtherRegionsWhereTheyAreWhenOneIsReleased) {
  PinnedMemory memory;
  const auto first = memory.allocate({100});
  const auto second = memory.allocate({200});
  EXPECT_EQ(memory.at(second.addr, 200), second.bytes.data());
  memory.release(first);
  EXPECT_EQ(memory.allocated(), Bytes{200});
  EXPECT_EQ(memory.at(second.addr, 200), second.bytes.data());
  EXPECT_THAT([&] { memory.at(first.addr, 1); }, ThrowsMessage<Error>(HasSubstr("is no pinned memory")));
  EXPECT_GT(memory.allocate({300}).addr, second.addr);
}

}  // namespace
}  // namespace isthmus
