#include "probes/copy_trial.hpp"

#include <span>

#include "isthmus/engine/timer.hpp"
#include "probes/core_buffer.hpp"

namespace isthmus::probes {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kCopied = 16;  // bytes, of SocSpec::copy

/// A core that copies once, by lines.
class LineCopier {
 public:
  fabric::CoreMemory memory;

  LineCopier(const platform::SocSpec& board, const CopyTrial& trial)
      : memory(board.core),
        trial_(trial),
        line_(static_cast<std::uint64_t>(board.coherence.line)),
        work_(Time::fs(board.copy.femtoseconds() * static_cast<std::int64_t>(line_ / kCopied))) {}

  void step() {
    const Time start = timer_.now();
    std::array<std::byte, fabric::kMostLine> bytes{};
    const auto line = std::span(bytes).first(line_);
    for (std::uint64_t at = trial_.address; at < trial_.address + trial_.bytes; at += line_) {
      memory.load(trial_.from, at, line);
      timer_.wait_until(timer_.now() + work_);
      memory.store(trial_.to, at + trial_.bytes, line);
    }
    elapsed_ = timer_.now() - start;
    memory.settle();
    finished_ = true;
  }
  bool done() const { return finished_; }

  Time elapsed() const { return elapsed_; }

 private:
  Timer timer_;
  CopyTrial trial_;
  std::uint64_t line_;
  Time work_;
  Time elapsed_;
  bool finished_ = false;
};

/// Cacheable memory is in the caches as far as these reach.
BufferState state_of(fabric::MemoryType type) {
  return type == fabric::MemoryType::cacheable ? BufferState::written : BufferState::flushed;
}

}  // namespace

// Both buffers have been written before, the destination first, by somebody else.
CopyResult run_trial(const platform::SocSpec& board, const CopyTrial& trial) {
  fabric::DramCells cells;
  cells.reserve(trial.address / kPage * kPage, 2 * trial.bytes + 2 * kPage);
  Graph graph;
  platform::SocBoard soc(graph, board, cells, {}, {.cached = 1, .uncached = 1});
  auto& core = graph.add<LineCopier>("core", {.clock = board.cpu}, board, trial);
  soc.attach_core(core.memory.accesses, core.memory.results);
  soc.attach_uncached(core.memory);
  const auto buffer = [&](std::uint64_t address) {
    return CoreBuffer(board, {.address = address, .bytes = trial.bytes}, soc.cache().lines(), cells);
  };
  CoreBuffer to = buffer(trial.address + trial.bytes);
  to.bring_to(state_of(trial.to), kFpga);
  buffer(trial.address).bring_to(state_of(trial.from), kCpu);
  graph.run();
  return {.elapsed = core.elapsed(), .verified = to.has(kCpu)};
}

}  // namespace isthmus::probes
