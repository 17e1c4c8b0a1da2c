#include "probes/loopback.hpp"

#include "probes/line_mover.hpp"

namespace isthmus::probes {
namespace {

using Kind = fabric::LineAccess::Kind;

constexpr int kOfACore = 10;      // lines that a core has under way
constexpr int kOfACircuit = 512;  // lines that a circuit has under way: more than its channels carry

// The state of a line, as its last writer leaves it.
constexpr std::uint64_t kBeginner = 1;
constexpr std::uint64_t kBegun = 2;   // the beginner says that its lines are there
constexpr std::uint64_t kCopied = 3;  // the other says so

/// The lines behind the first: those of the beginner, those of the other, and a line for each to tell the other.
struct LinePlaces {
  std::uint64_t source = 0;
  std::uint64_t copy;
  std::uint64_t begun;
  std::uint64_t copied;
  std::uint64_t end;

  LinePlaces(std::uint64_t bytes, std::uint64_t line)
      : copy(bytes), begun(2 * bytes), copied(2 * bytes + line), end(2 * bytes + 2 * line) {}
};

/// Passes of the side that begins. What is written over other channels than the coherent one is there behind a fence.
std::vector<LinePass> passes_of_beginner(const LinePlaces& places, std::uint64_t lines, std::uint8_t way) {
  const bool fenced = way != platform::kCoherentWay;
  return {{.kind = Kind::write,
           .lines = lines,
           .writer = kBeginner,
           .from = places.source,
           .fenced = fenced,
           .channel = way},
          {.kind = Kind::write, .lines = 1, .writer = kBegun, .from = places.begun, .channel = way},
          {.kind = Kind::read, .lines = 1, .writer = kCopied, .from = places.copied, .until = true, .channel = way},
          {.kind = Kind::read, .lines = lines, .writer = kBeginner, .from = places.copy, .channel = way}};
}

std::vector<LinePass> passes_of_other(const LinePlaces& places, std::uint64_t lines, std::uint8_t way) {
  const bool fenced = way != platform::kCoherentWay;
  return {{.kind = Kind::read, .lines = 1, .writer = kBegun, .from = places.begun, .until = true, .channel = way},
          {.kind = Kind::read, .lines = lines, .writer = kBeginner, .from = places.source, .channel = way},
          {.kind = Kind::write,
           .lines = lines,
           .writer = kBeginner,
           .from = places.copy,
           .copied = true,
           .fenced = fenced,
           .channel = way},
          {.kind = Kind::write, .lines = 1, .writer = kCopied, .from = places.copied, .channel = way}};
}

}  // namespace

Time run_loopback(const platform::Description& board, const Loopback& loopback) {
  const platform::SharedSpec spec = platform::shared_spec(board);
  const std::uint8_t way = platform::way_named(spec, loopback.way);
  const auto line = static_cast<std::uint64_t>(spec.coherence.line);
  const LinePlaces places(loopback.lines * line, line);
  PinnedSpace memory(spec);
  const std::uint64_t first = memory.space.allocate({static_cast<std::int64_t>(places.end)});
  const auto passes = [&](bool begins, std::uint8_t over) {
    return begins ? passes_of_beginner(places, loopback.lines, over) : passes_of_other(places, loopback.lines, over);
  };
  SharedRun run(board, spec, memory, 1);
  const auto [core, circuit] = add_movers(
      run,
      {.way =
           {.name = "core", .first = first, .line = spec.coherence.line, .at_once = kOfACore, .space = &memory.space},
       .passes = passes(!loopback.by_circuit, platform::kCoherentWay)},
      {.way = {.name = "circuit",
               .first = first,
               .line = spec.coherence.line,
               .ports = 2,
               .channels = static_cast<int>(spec.channels.size()),
               .split = true,
               .at_once = kOfACircuit},
       .passes = passes(loopback.by_circuit, way)});
  run.board.attach_reads(0, circuit.requests[0], circuit.results[0]);
  run.board.attach_writes(0, circuit.requests[1], circuit.results[1]);
  run.run();
  const std::vector<LineMover::Times>& times = (loopback.by_circuit ? circuit : core).times();
  return times.back().last - times.front().first;
}

}  // namespace isthmus::probes
