#include "probes/copy_trial.hpp"

#include <span>

namespace isthmus::probes {
namespace {

constexpr std::uint64_t kCopied = 16;  // bytes, of SocSpec::copy

/// A core that copies once, by lines.
class LineCopier : public TrialCore {
 public:
  LineCopier(const platform::SocSpec& board, const CopyTrial& trial)
      : TrialCore(board),
        trial_(trial),
        line_(static_cast<std::uint64_t>(board.coherence.line)),
        work_(Time::fs(board.copy.femtoseconds() * static_cast<std::int64_t>(line_ / kCopied))) {}

  void step() {
    std::array<std::byte, fabric::kMostLine> bytes{};
    const auto line = std::span(bytes).first(line_);
    time([&] {
      for (std::uint64_t at = trial_.address; at < trial_.address + trial_.bytes; at += line_) {
        core.memory.load(trial_.from, at, line);
        core.work(work_);
        core.memory.store(trial_.to, at + trial_.bytes, line);
      }
    });
    core.memory.settle();
  }

 private:
  CopyTrial trial_;
  std::uint64_t line_;
  Time work_;
};

}  // namespace

CoreResult run_trial(const platform::SocSpec& board, const CopyTrial& trial) {
  return run_core<LineCopier>(board, trial, trial.from, [](CoreBuffer& to) { return to.has(kCpu); });
}

}  // namespace isthmus::probes
