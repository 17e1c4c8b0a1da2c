// Loads and stores of a core on a board, against an array of bytes.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "engine/dice.hpp"
#include "isthmus/engine/timer.hpp"
#include "isthmus/platform/soc_board.hpp"

namespace isthmus::platform {
namespace {

using fabric::MemoryType;
using reference::Dice;

constexpr std::uint64_t kLineBytes = 64;
constexpr std::uint64_t kArea = 4096;  // of each type of memory, the cacheable first

/// Loads and stores at random, now and then in sequence.
struct RestlessCore {
  fabric::CoreMemory memory;
  Random random;
  int left;
  std::vector<std::byte> expected;
  int wrong = 0;
  std::uint64_t next = 0;  ///< address that would go on

  RestlessCore(const fabric::CoreMemorySpec& spec, int accesses) : memory(spec), left(accesses), expected(2 * kArea) {}
  void step() {
    const std::uint64_t bytes = std::uint64_t{4} << random.below(5);
    std::uint64_t address = random.below(4) > 0 ? next : random.below(2 * kArea);
    address = address % (2 * kArea) / bytes * bytes;
    next = address + bytes;
    const auto type = address < kArea ? MemoryType::cacheable : MemoryType::noncacheable;
    const auto seen = std::span(expected).subspan(address, bytes);
    std::array<std::byte, kLineBytes> data{};
    const auto moved = std::span(data).first(bytes);
    if (random.below(3) == 0) {
      memory.load(type, address, moved);
      if (!std::ranges::equal(moved, seen)) ++wrong;
    } else {
      for (std::byte& each : moved) each = static_cast<std::byte>(random.next());
      std::ranges::copy(moved, seen.begin());
      memory.store(type, address, moved);
    }
    if (--left == 0) memory.settle();
  }
  bool done() const { return left == 0; }
};

RC_GTEST_PROP(CoreMemory, GivesBackWhatWasStoredLast, ()) {
  Dice dice(*rc::gen::arbitrary<std::uint64_t>());
  SocSpec spec = soc_spec(load(file_of("model:zynq-ultrascale")));
  spec.coherence.depth = dice.number(1, 4);
  fabric::CoherentCacheSpec& l2 = spec.coherence.agents.front().cache;
  l2.ways = dice.one_of({1, 2});
  l2.size = {static_cast<std::int64_t>(kLineBytes) * l2.ways * dice.number(1, 3)};
  l2.reads_in_flight = l2.writes_in_flight = dice.number(1, 4);
  spec.core.stores = dice.number(1, 8);
  spec.core.uncached_stores = dice.number(1, 8);
  spec.core.write_stream = static_cast<std::uint64_t>(dice.number(1, 3));
  spec.core.prefetch.reset();
  if (dice.chance(70))
    spec.core.prefetch = {.streams = static_cast<std::uint64_t>(dice.number(1, 3)),
                          .trigger = 1,
                          .lines = static_cast<std::uint64_t>(dice.number(1, 6))};
  fabric::DramCells cells;
  cells.reserve(0, 2 * kArea);
  Graph graph(static_cast<std::uint64_t>(dice.between(1, 1 << 30)));
  SocBoard soc(graph, spec, cells, {}, {.cached = 1, .uncached = 1});
  auto& core = graph.add<RestlessCore>("core", {.clock = spec.cpu}, spec.core, 300);
  soc.attach_core(core.memory.accesses, core.memory.results);
  soc.attach_uncached(core.memory);
  graph.run({.limit = Time::ms(5)});
  RC_ASSERT(core.done());
  RC_ASSERT(core.wrong == 0);
  std::vector<std::byte> past(kArea);
  cells.read(kArea, past);
  RC_ASSERT(std::ranges::equal(past, std::span(core.expected).subspan(kArea)));
}

}  // namespace
}  // namespace isthmus::platform
