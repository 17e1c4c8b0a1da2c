// A circuit's addresses against pages that lie anywhere.
#include "isthmus/fabric/coherence/page_table.hpp"

#include <gmock/gmock.h>

#include <set>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kPage = 4096;

TEST(SharedSpace, GivesEachByteOfAPageAPlaceOfItsOwnInPinnedMemory) {
  PinnedMemory memory;
  SharedSpace space(memory, {.table = PageTableSpec{.entries = 4, .page = {kPage}}});
  std::set<std::byte*> places;
  for (const std::uint64_t first : {space.allocate({kPage + 1}), space.allocate({1})})
    for (std::uint64_t at = first; at < first + static_cast<std::uint64_t>(kPage); at += 64) {
      EXPECT_EQ(space.bytes(at, 64).data(), memory.at(space.physical(at), 64));
      places.insert(space.bytes(at, 64).data());
    }
  EXPECT_EQ(places.size(), 2 * kPage / 64);
  EXPECT_EQ(space.left_in_page(kPage + 64), kPage - 64U);
}

TEST(SharedSpace, HoldsNoMoreThanItsEntries) {
  PinnedMemory memory;
  SharedSpace space(memory, {.board = "my.toml", .table = PageTableSpec{.entries = 2, .page = {kPage}}});
  EXPECT_THAT([&] { space.allocate({2 * kPage + 1}); },
              ThrowsMessage<Error>("my.toml: shared memory: expected at most 8192 B, what is left of 2 pages of 4096 B "
                                   "(translation.entries, translation.page), got 8193 B"));
  EXPECT_EQ(space.allocate({2 * kPage}), 0U);
  EXPECT_THAT([&] { space.allocate({1}); }, ThrowsMessage<Error>(HasSubstr("expected at most 0 B")));
  EXPECT_THAT([&] { static_cast<void>(space.physical(2 * kPage)); }, ThrowsMessage<Error>(HasSubstr("0x2000")));
}

TEST(SharedSpace, HoldsNoMoreThanTheHostsMemory) {
  const SharedSpaceSpec bare{.board = "my.toml", .capacity = Bytes{3 * kPage - 1}};
  SharedSpaceSpec paged = bare;
  paged.table = {.entries = 4, .page = {kPage}};
  PinnedMemory memory;
  SharedSpace whole(memory, bare);
  whole.allocate({kPage});
  EXPECT_THAT(
      [&] { whole.allocate({2 * kPage}); },
      ThrowsMessage<Error>("my.toml: shared memory: expected at most 8191 B, what is left of 12287 B of the host "
                           "(host.memory.capacity), got 8192 B"));
  SharedSpace pages(memory, paged);
  pages.allocate({kPage + 1});
  EXPECT_THAT([&] { pages.allocate({1}); },
              ThrowsMessage<Error>("my.toml: shared memory: expected at most 0 B, what is left of 12287 B of the host "
                                   "(host.memory.capacity) in pages of 4096 B, got 1 B"));
}

TEST(SharedSpace, AsksForNoPageWhereTheCallerHasEnoughOfTheLast) {
  PinnedMemory memory;
  SharedSpace space(memory, {.table = PageTableSpec{.entries = 2, .page = {kPage}}});
  space.allocate({kPage - 100});
  EXPECT_EQ(space.allocate({kPage + 100}, {100}), static_cast<std::uint64_t>(kPage));
  EXPECT_THAT([&] { space.allocate({101}, {100}); }, ThrowsMessage<Error>(HasSubstr("expected at most 100 B")));
}

TEST(SharedSpace, WithoutATableIsTheHosts) {
  PinnedMemory memory;
  SharedSpace space(memory, {});
  const std::uint64_t first = space.allocate({kPage});
  EXPECT_EQ(space.physical(first + 5), first + 5);
  EXPECT_EQ(space.bytes(first, 64).data(), memory.at(first, 64));
}

TEST(HeldPages, AreThoseAskedForLast) {
  HeldPages held(2);
  EXPECT_FALSE(held.ask(7));
  EXPECT_FALSE(held.ask(8));
  EXPECT_TRUE(held.ask(7));
  EXPECT_TRUE(held.ask(7));
  EXPECT_FALSE(held.ask(9)) << "in place of 8";
  EXPECT_TRUE(held.ask(7));
  EXPECT_FALSE(held.ask(8));
  EXPECT_FALSE(held.ask(9));
}

}  // namespace
}  // namespace isthmus::fabric
