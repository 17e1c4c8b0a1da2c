#pragma once

#include "isthmus/platform/soc_core.hpp"
#include "probes/core_buffer.hpp"

namespace isthmus::probes {

/// Room before and behind what a core works on.
inline constexpr std::uint64_t kSpare = 4096;

/// The outcome of what a core does once.
struct CoreResult {
  Time elapsed;   ///< time until the core has handed out its last store, or is past its last barrier
  bool verified;  ///< whether the bytes are where they should be
};

/// A core that does something once.
class TrialCore {
 public:
  platform::SocCore core;

  bool done() const { return finished_; }
  Time elapsed() const { return elapsed_; }

 protected:
  explicit TrialCore(const platform::SocSpec& board) : core(board) {}

  template <class Work>
  void time(const Work& work) {
    const Time start = core.now();
    work();
    elapsed_ = core.now() - start;
    finished_ = true;
  }

 private:
  Time elapsed_;
  bool finished_ = false;
};

/// Cacheable memory is in the caches as far as these reach.
inline BufferState at_rest(fabric::MemoryType type) {
  return type == fabric::MemoryType::cacheable ? BufferState::written : BufferState::flushed;
}

/// Lets a Core by itself work from a buffer of type `from` into the one behind it. Both have been written before, the
/// second one first, by somebody else.
template <class Core, class Trial, class Verify>
CoreResult run_core(const platform::SocSpec& board, const Trial& trial, fabric::MemoryType from, const Verify& verify) {
  fabric::DramCells cells;
  cells.reserve(trial.address / kSpare * kSpare, 2 * trial.bytes + 2 * kSpare);
  Graph graph;
  platform::SocBoard soc(graph, board, cells, {}, {.cached = 1, .uncached = 1});
  auto& actor = graph.add<Core>("core", {.clock = board.cpu}, board, trial);
  soc.attach_core(actor.core.memory.accesses, actor.core.memory.results);
  soc.attach_uncached(actor.core.memory);
  const auto buffer = [&](std::uint64_t address) {
    return CoreBuffer(board, {.address = address, .bytes = trial.bytes}, soc.cache().lines(), cells);
  };
  CoreBuffer to = buffer(trial.address + trial.bytes);
  to.bring_to(at_rest(trial.to), kFpga);
  buffer(trial.address).bring_to(at_rest(from), kCpu);
  graph.run();
  return {.elapsed = actor.elapsed(), .verified = verify(to)};
}

}  // namespace isthmus::probes
