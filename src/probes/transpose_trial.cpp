#include "probes/transpose_trial.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "probes/line_mover.hpp"

namespace isthmus::probes {
namespace {

using fabric::MemoryType;

/// A core that loads row by row and stores column by column.
class TransposingCore : public TrialCore {
 public:
  TransposingCore(const platform::SocSpec& board, const TransposeTrial& trial)
      : TrialCore(board), trial_(trial), work_(board.element) {}

  void step() {
    std::array<std::byte, kTransposed> element{};
    time([&] {
      for (std::uint64_t row = 0; row < trial_.rows; ++row)
        for (std::uint64_t column = 0; column < trial_.rows; ++column) {
          core.memory.load(MemoryType::cacheable, trial_.address + at(row, column), element);
          core.work(work_);
          core.memory.store(trial_.to, trial_.address + trial_.bytes + at(column, row), element);
        }
    });
    core.memory.settle();
  }

 private:
  std::uint64_t at(std::uint64_t row, std::uint64_t column) const { return (row * trial_.rows + column) * kTransposed; }

  TransposeTrial trial_;
  Time work_;
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

CoreResult run_trial(const platform::SocSpec& board, const TransposeTrial& trial) {
  return run_core<TransposingCore>(board, trial, MemoryType::cacheable,
                                   [&](CoreBuffer& to) { return is_transposed(to.bytes(), trial.rows); });
}

}  // namespace isthmus::probes
