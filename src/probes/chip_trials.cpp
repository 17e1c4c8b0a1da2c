#include "probes/chip_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "isthmus/shared/soc/chip.hpp"
#include "probes/line_mover.hpp"

namespace isthmus::probes {
namespace {

using fabric::LineAccess;
using fabric::MemoryType;
using platform::SocCore;
using soc::Chip;
using soc::ProgramCore;

/// Room before and behind what a core works on.
constexpr std::uint64_t kSpare = 4096;

constexpr std::uint64_t kCopied = 16;  // bytes, of SocSpec::copy

/// The area of each other core, in caches: most of its accesses miss.
constexpr std::uint64_t kAreaInCaches = 4;

CoreBuffer buffer_of(Chip& chip, const BufferPlace& place) {
  return {chip.spec(), place, chip.cached(), chip.cells};
}

bool is_cached(Chip& chip, const BufferPlace& place) {
  const auto line = static_cast<std::uint64_t>(chip.spec().coherence.line);
  for (std::uint64_t at = place.address; at < place.address + place.bytes; at += line)
    if (chip.cached().find(at / line) != nullptr) return true;
  return false;
}

/// Cacheable memory is in the caches as far as these reach.
BufferState at_rest(MemoryType type) {
  return type == MemoryType::cacheable ? BufferState::written : BufferState::flushed;
}

/// Lets a core by itself work from a buffer of type `from` into the one behind it. Both have been written before, the
/// second one first, by somebody else.
template <class Trial, class Verify>
BufferResult run_core(const platform::SocSpec& board, const Trial& trial, MemoryType from,
                      const ProgramCore::Program& program, const Verify& verify) {
  Chip chip(board, {.first = trial.address / kSpare * kSpare, .bytes = 2 * trial.bytes + 2 * kSpare}, {},
            {.cached = 1, .uncached = 1});
  const auto& core = chip.add_core<ProgramCore>("core", board, program);
  CoreBuffer to = buffer_of(chip, {.address = trial.address + trial.bytes, .bytes = trial.bytes});
  to.bring_to(at_rest(trial.to), kFpga);
  buffer_of(chip, {.address = trial.address, .bytes = trial.bytes}).bring_to(at_rest(from), kCpu);
  chip.graph.run();
  return {.elapsed = core.elapsed(), .verified = verify(to)};
}

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

/// A circuit that moves a buffer once through a port.
class PortMover {
 public:
  Out<fabric::AxiRegion> regions{"regions"};
  In<fabric::AxiBurst> data{"data"};
  Out<fabric::AxiStore> stores{"stores"};
  In<fabric::AxiDone> written{"written"};

  /// `burst`: bytes of the longest, a power of two.
  PortMover(const PortTrial& trial, Bytes burst) : trial_(trial), burst_(static_cast<std::uint64_t>(burst.count)) {}

  void step() {
    const Time start = timer_.now();
    trial_.to_fpga ? read() : write();
    elapsed_ = timer_.now() - start;
    finished_ = true;
  }
  bool done() const { return finished_; }

  Time elapsed() const { return elapsed_; }
  /// Bursts that were not as expected.
  std::uint64_t wrong() const { return wrong_; }

 private:
  void read() {
    regions.push({.at = {.channel = 0, .byte = trial_.address}, .bytes = trial_.bytes});
    std::array<std::byte, fabric::kLongestAxiBurst> expected{};
    for (std::uint64_t at = 0; at < trial_.bytes;) {
      const fabric::AxiBurst& burst = data.read_in_place();
      fill_line(at, kCpu, std::span(expected).first(burst.bytes));
      if (std::memcmp(expected.data(), burst.data.data(), burst.bytes) != 0) ++wrong_;
      at += burst.bytes;
    }
  }

  void write() {
    for (std::uint64_t at = 0; at < trial_.bytes;) {
      const std::uint64_t address = trial_.address + at;
      const std::uint64_t bytes = std::min(trial_.bytes - at, burst_ - address % burst_);
      fabric::AxiStore& store = stores.slot();
      store.channel = 0;
      store.last = at + bytes == trial_.bytes;
      store.write.address = address;
      store.write.burst.bytes = static_cast<std::uint32_t>(bytes);
      fill_line(at, kFpga, std::span(store.write.burst.data).first(bytes));
      at += bytes;
    }
    written.read();
  }

  Timer timer_;
  PortTrial trial_;
  std::uint64_t burst_;
  Time elapsed_;
  std::uint64_t wrong_ = 0;
  bool finished_ = false;
};

}  // namespace

BufferResult run_trial(const platform::SocSpec& board, const CopyTrial& trial) {
  const auto line = static_cast<std::uint64_t>(board.coherence.line);
  const Time work = Time::fs(board.copy.femtoseconds() * static_cast<std::int64_t>(line / kCopied));
  const auto copy = [&](SocCore& core) {
    std::array<std::byte, fabric::kMostLine> bytes{};
    for (std::uint64_t at = trial.address; at < trial.address + trial.bytes; at += line) {
      core.memory.load(trial.from, at, std::span(bytes).first(line));
      core.work(work);
      core.memory.store(trial.to, at + trial.bytes, std::span(bytes).first(line));
    }
  };
  return run_core(board, trial, trial.from, copy, [](CoreBuffer& to) { return to.has(kCpu); });
}

/// Row by row into columns.
BufferResult run_trial(const platform::SocSpec& board, const TransposeTrial& trial) {
  const auto at = [&](std::uint64_t row, std::uint64_t column) {
    return trial.address + (row * trial.rows + column) * kTransposed;
  };
  const auto transpose = [&](SocCore& core) {
    std::array<std::byte, kTransposed> element{};
    for (std::uint64_t row = 0; row < trial.rows; ++row)
      for (std::uint64_t column = 0; column < trial.rows; ++column) {
        core.memory.load(MemoryType::cacheable, at(row, column), element);
        core.work(board.element);
        core.memory.store(trial.to, at(column, row) + trial.bytes, element);
      }
  };
  return run_core(board, trial, MemoryType::cacheable, transpose,
                  [&](CoreBuffer& to) { return is_transposed(to.bytes(), trial.rows); });
}

/// Where there is load, the areas of the other cores lie behind the buffers.
BufferResult run_trial(const platform::SocSpec& board, const MaintenanceTrial& trial) {
  const int others = trial.load > 0 ? board.cores - 1 : 0;
  const auto line = static_cast<std::uint64_t>(board.coherence.line);
  const auto area = kAreaInCaches * static_cast<std::uint64_t>(board.coherence.agents.front().cache.size.count);
  const std::uint64_t beyond = trial.address + trial.bytes + kSpare;
  Chip chip(board,
            {.first = trial.address / kSpare * kSpare, .bytes = beyond + static_cast<std::uint64_t>(others) * area}, {},
            {.cached = 1 + others, .uncached = 1});
  const auto maintain = [&](SocCore& core) {
    const std::uint64_t each = trial.bytes / trial.buffers;
    for (std::uint64_t buffer = 0; buffer < trial.buffers; ++buffer) core.maintain(trial.address + buffer * each, each);
  };
  auto& core = chip.add_core<ProgramCore>("core", board, maintain, static_cast<std::size_t>(others));
  for (std::size_t other = 0; other < core.ended.size(); ++other) {
    const Area lines{.first = (beyond + other * area) / line, .lines = area / line};
    auto& busy =
        chip.add_cached_core<BusyCore>(fmt::format("other core {}", other), lines, board.coherence.line, trial.load);
    chip.graph.connect(core.ended[other], busy.over);
  }
  const BufferPlace place{.address = trial.address, .bytes = trial.bytes};
  CoreBuffer buffer = buffer_of(chip, place);
  buffer.bring_to(trial.operation == Maintenance::flush ? BufferState::written : BufferState::read, kCpu);
  chip.graph.run();
  return {.elapsed = core.elapsed(), .verified = !is_cached(chip, place) && buffer.has(kCpu)};
}

// Software keeps a port coherent that does not do so itself: it flushes before the FPGA moves the buffer and, of one
// that the FPGA has written, once more behind it.
BufferResult run_trial(const platform::SocSpec& board, const PortTrial& trial) {
  const platform::SocPortSpec& port = board.ports[trial.port];
  Chip chip(board, {.first = trial.address, .bytes = trial.bytes}, {trial.port}, {});
  const Clock clock{.frequency = port.axi.clock};
  auto& circuit = chip.graph.add<PortMover>("circuit", {.clock = clock}, trial, port.axi.burst);
  chip.connect(0, clock, {circuit.regions, circuit.data, circuit.stores, circuit.written});
  CoreBuffer buffer = buffer_of(chip, {.address = trial.address, .bytes = trial.bytes});
  buffer.bring_to(trial.state, kCpu);
  if (port.by_software) buffer.flush();
  chip.graph.run();
  if (port.by_software && !trial.to_fpga) buffer.flush();
  return {.elapsed = circuit.elapsed(), .verified = trial.to_fpga ? circuit.wrong() == 0 : buffer.has(kFpga)};
}

}  // namespace isthmus::probes
