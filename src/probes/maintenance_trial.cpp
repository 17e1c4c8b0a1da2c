#include "probes/maintenance_trial.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isthmus::probes {
namespace {

using fabric::LineAccess;

/// The area of each other core, in caches: most of its accesses miss.
constexpr std::uint64_t kAreaInCaches = 4;

/// A core that maintains the buffers, and tells the others when it is done.
class MaintainingCore : public TrialCore {
 public:
  PortArray<Out<bool>> over;

  MaintainingCore(const platform::SocSpec& board, const MaintenanceTrial& trial, int others)
      : TrialCore(board), over(others, "over"), trial_(trial) {}

  void step() {
    const std::uint64_t each = trial_.bytes / trial_.buffers;
    time([&] {
      for (std::uint64_t buffer = 0; buffer < trial_.buffers; ++buffer)
        core.maintain(trial_.address + buffer * each, each);
    });
    for (auto& other : over) other.push(true);
  }

 private:
  MaintenanceTrial trial_;
};

/// The lines that a core accesses.
struct Area {
  std::uint64_t first;  ///< index of the first line
  std::uint64_t lines;
};

/// A core that reads and writes whole lines anywhere in its area, so many at once, until it is told to end.
class BusyCore {
 public:
  Out<LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  In<bool> over{"over"};

  BusyCore(const Area& area, int line, int at_once)
      : area_(area), line_(static_cast<std::uint64_t>(line)), at_once_(at_once) {}

  void step() {
    if (!told_ && over.pull()) told_ = true;
    while (results.pull_in_place() != nullptr) --under_way_;
    if (!told_ && under_way_ < at_once_ && accesses.room()) {
      begin();
      return;
    }
    timer_.wait(over, results, accesses);
  }
  bool done() const { return told_ && under_way_ == 0; }

 private:
  void begin() {
    const std::uint64_t address = (area_.first + random_.below(area_.lines)) * line_;
    const auto kind = random_.below(2) == 0 ? LineAccess::Kind::read : LineAccess::Kind::write;
    LineAccess& access = fabric::begin_access(accesses, kind, address, line_, 0);
    std::ranges::fill(access.data, std::byte{0});
    ++under_way_;
  }

  Timer timer_;
  Random random_;
  Area area_;
  std::uint64_t line_;
  int at_once_;
  int under_way_ = 0;
  bool told_ = false;
};

/// The maintaining core and, where there is load, all others.
class MaintainedBoard {
 public:
  MaintainedBoard(const platform::SocSpec& board, const MaintenanceTrial& trial)
      : board_(board),
        trial_(trial),
        others_(trial.load > 0 ? board.cores - 1 : 0),
        area_(kAreaInCaches * static_cast<std::uint64_t>(board.coherence.agents.front().cache.size.count)),
        beyond_(trial.address + trial.bytes + kSpare),
        cells_(reserved()),
        soc_(graph_, board, cells_, {}, {.cached = 1 + others_, .uncached = 1}),
        core_(graph_.add<MaintainingCore>("core", {.clock = board.cpu}, board, trial, others_)) {
    soc_.attach_core(core_.core.memory.accesses, core_.core.memory.results);
    soc_.attach_uncached(core_.core.memory);
    for (int other = 0; other < others_; ++other) add_other(other);
  }

  CoreResult run() {
    CoreBuffer buffer(board_, {.address = trial_.address, .bytes = trial_.bytes}, soc_.cache().lines(), cells_);
    buffer.bring_to(trial_.operation == Maintenance::flush ? BufferState::written : BufferState::read, kCpu);
    graph_.run();
    return {.elapsed = core_.elapsed(), .verified = nothing_cached() && buffer.has(kCpu)};
  }

 private:
  fabric::DramCells reserved() const {
    fabric::DramCells cells;
    cells.reserve(trial_.address / kSpare * kSpare, beyond_ + static_cast<std::uint64_t>(others_) * area_);
    return cells;
  }

  void add_other(int other) {
    const auto line = static_cast<std::uint64_t>(board_.coherence.line);
    const Area area{.first = (beyond_ + static_cast<std::uint64_t>(other) * area_) / line, .lines = area_ / line};
    auto& busy = graph_.add<BusyCore>(fmt::format("other core {}", other), {.clock = board_.cpu}, area,
                                      board_.coherence.line, trial_.load);
    graph_.connect(core_.over[static_cast<std::size_t>(other)], busy.over);
    soc_.attach_core(busy.accesses, busy.results);
  }

  bool nothing_cached() {
    const auto line = static_cast<std::uint64_t>(board_.coherence.line);
    for (std::uint64_t at = trial_.address; at < trial_.address + trial_.bytes; at += line)
      if (soc_.cache().lines().find(at / line) != nullptr) return false;
    return true;
  }

  const platform::SocSpec& board_;
  const MaintenanceTrial& trial_;
  int others_;
  std::uint64_t area_;    ///< bytes of the area of each other core
  std::uint64_t beyond_;  ///< address of the first of these areas
  fabric::DramCells cells_;
  Graph graph_;
  platform::SocBoard soc_;
  MaintainingCore& core_;
};

}  // namespace

CoreResult run_trial(const platform::SocSpec& board, const MaintenanceTrial& trial) {
  return MaintainedBoard(board, trial).run();
}

}  // namespace isthmus::probes
