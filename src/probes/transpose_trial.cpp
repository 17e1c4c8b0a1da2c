#include "probes/transpose_trial.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "isthmus/platform/soc_core.hpp"
#include "probes/core_buffer.hpp"
#include "probes/line_mover.hpp"

namespace isthmus::probes {
namespace {

using fabric::MemoryType;

constexpr std::uint64_t kPage = 4096;

/// A core that loads row by row and stores column by column.
class TransposingCore {
 public:
  platform::SocCore core;

  TransposingCore(const platform::SocSpec& board, const TransposeTrial& trial)
      : core(board), trial_(trial), work_(board.element) {}

  void step() {
    const Time start = core.now();
    std::array<std::byte, kTransposed> element{};
    for (std::uint64_t row = 0; row < trial_.rows; ++row)
      for (std::uint64_t column = 0; column < trial_.rows; ++column) {
        core.memory.load(MemoryType::cacheable, trial_.address + at(row, column), element);
        core.work(work_);
        core.memory.store(trial_.to, trial_.address + trial_.bytes + at(column, row), element);
      }
    elapsed_ = core.now() - start;
    core.memory.settle();
    finished_ = true;
  }
  bool done() const { return finished_; }

  Time elapsed() const { return elapsed_; }

 private:
  std::uint64_t at(std::uint64_t row, std::uint64_t column) const { return (row * trial_.rows + column) * kTransposed; }

  TransposeTrial trial_;
  Time work_;
  Time elapsed_;
  bool finished_ = false;
};

/// Tells whether a matrix is the transpose of what the CPU has written.
bool is_transposed(std::span<const std::byte> matrix, std::uint64_t rows) {
  std::vector<std::byte> source(matrix.size());
  fill_line(0, kCpu, source);
  const auto element = [rows](std::span<const std::byte> of, std::uint64_t row, std::uint64_t column) {
    return of.subspan((row * rows + column) * kTransposed, kTransposed);
  };
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < rows; ++column)
      if (!std::ranges::equal(element(matrix, column, row), element(source, row, column))) return false;
  return true;
}

}  // namespace

// The matrix has been written before and is in the caches as far as these reach; its place behind it likewise, of
// cacheable memory, by somebody else.
TransposeResult run_trial(const platform::SocSpec& board, const TransposeTrial& trial) {
  fabric::DramCells cells;
  cells.reserve(trial.address / kPage * kPage, 2 * trial.bytes + 2 * kPage);
  Graph graph;
  platform::SocBoard soc(graph, board, cells, {}, {.cached = 1, .uncached = 1});
  auto& transposing = graph.add<TransposingCore>("core", {.clock = board.cpu}, board, trial);
  soc.attach_core(transposing.core.memory.accesses, transposing.core.memory.results);
  soc.attach_uncached(transposing.core.memory);
  const auto buffer = [&](std::uint64_t address) {
    return CoreBuffer(board, {.address = address, .bytes = trial.bytes}, soc.cache().lines(), cells);
  };
  CoreBuffer to = buffer(trial.address + trial.bytes);
  to.bring_to(trial.to == MemoryType::cacheable ? BufferState::written : BufferState::flushed, kFpga);
  buffer(trial.address).bring_to(BufferState::written, kCpu);
  graph.run();
  return {.elapsed = transposing.elapsed(), .verified = is_transposed(to.bytes(), trial.rows)};
}

}  // namespace isthmus::probes
