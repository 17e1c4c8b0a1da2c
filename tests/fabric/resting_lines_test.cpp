// What a core leaves in a cache while nothing runs, against the cache that runs.
#include "isthmus/fabric/coherence/resting_lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "isthmus/fabric/write_stream.hpp"

namespace isthmus::fabric {
namespace {

constexpr int kLineBytes = 64;
constexpr std::uint64_t kLines = 64;

using Bytes64 = std::array<std::byte, kLineBytes>;

Bytes64 all(int value) {
  Bytes64 bytes{};
  bytes.fill(static_cast<std::byte>(value));
  return bytes;
}

struct Rest {
  LineStore cache{Bytes{8 * kLineBytes}, 2, kLineBytes};
  DramCells cells;
  RestingLines lines{cache, cells, kLineBytes};

  Rest() { cells.reserve(0, kLines * kLineBytes); }
  Bytes64 read(std::uint64_t line) {
    Bytes64 found{};
    lines.read(line, found);
    return found;
  }
  Bytes64 in_memory(std::uint64_t line) const {
    Bytes64 found{};
    cells.read(line * kLineBytes, found);
    return found;
  }
};

TEST(RestingLines, AnyOrderOfAccessesKeepsTheLastValueOfEachLine) {
  Rest rest;
  std::map<std::uint64_t, int> last;
  std::uint64_t state = 1;
  for (int i = 1; i < 5000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t line = (state >> 33U) % kLines;
    const auto what = (state >> 60U) % 4;
    if (what == 0) rest.lines.flush(line);
    if (what == 1) {
      ASSERT_EQ(rest.read(line), all(last[line]));
    }
    if (what < 2) continue;
    last[line] = i % 256;
    rest.lines.write(line, all(last[line]), what == 2);
  }
  for (std::uint64_t line = 0; line < kLines; ++line) {
    rest.lines.flush(line);
    EXPECT_EQ(rest.in_memory(line), all(last[line])) << "no modified byte is lost";
  }
}

TEST(RestingLines, AWriteThatIsKeptReachesMemoryWithItsFlush) {
  Rest rest;
  rest.lines.write(3, all(7), true);
  EXPECT_EQ(rest.in_memory(3), all(0));
  rest.lines.flush(3);
  EXPECT_EQ(rest.in_memory(3), all(7));
  rest.lines.write(4, all(9), false);
  EXPECT_EQ(rest.in_memory(4), all(9));
  EXPECT_EQ(rest.cache.find(4), nullptr);
}

TEST(WriteStream, StopsKeepingLinesBehindItsThreshold) {
  WriteStream stream(4);
  for (std::uint64_t line = 10; line < 14; ++line) EXPECT_TRUE(stream.keeps(line));
  EXPECT_FALSE(stream.keeps(14));
  EXPECT_FALSE(stream.keeps(15));
  EXPECT_TRUE(stream.keeps(20)) << "another sequence begins";
  WriteStream off({});
  for (std::uint64_t line = 0; line < 1000; ++line) EXPECT_TRUE(off.keeps(line));
}

TEST(LineStore, DrawsWhatMakesWayAmongAllLinesOfASetWhereItIsTold) {
  struct Actor {
    Random random;
  } drawing;
  LineStore store(Bytes{4 * kLineBytes}, 4, kLineBytes, &drawing.random);
  for (std::uint64_t line = 0; line < 4; ++line) {
    LineStore::Way& way = *store.victim(line);
    way.line = line;
    way.state = LineState::exclusive;
    store.use(way);
  }
  std::map<std::uint64_t, int> drawn;
  for (int i = 0; i < 4000; ++i) ++drawn[store.victim(9)->line];
  ASSERT_EQ(drawn.size(), 4U);
  for (const auto& [line, times] : drawn) EXPECT_NEAR(times, 1000, 150) << "line " << line;
}

}  // namespace
}  // namespace isthmus::fabric
