#include "isthmus/shared/queues/look_ahead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "shared/queues/look_ahead_actors.hpp"

namespace isthmus::queues {
namespace {

bool by_mailbox(HandOver hand_over) {
  return hand_over != HandOver::none && hand_over != HandOver::mmio;
}

platform::SharedSpec watching(platform::SharedSpec spec, const LookAheadWork& work) {
  if (work.what.hand_over != HandOver::umsg) return spec;
  fabric::CoherentCacheSpec& cache = spec.coherence.agents[platform::SharedBoard::kFpga].cache;
  cache.watched = work.space.physical(work.mailbox) / static_cast<std::uint64_t>(work.line);
  cache.watched_lines = 1;
  return spec;
}

class LookAheadMachine {
 public:
  LookAheadMachine(const platform::Description& board, const platform::SharedSpec& spec, PinnedSpace& memory,
                   const LookAheadWork& work)
      : work_(work),
        cycle_(Time::seconds(1 / spec.coherence.clock.frequency.hertz())),
        run_(board, watching(spec, work), memory, by_mailbox(work.what.hand_over) ? 2 : 1),
        core_(run_.add_distant_core("core", [this](HostCore& core) { return visit(core); },
                                    {.stores = work.what.hand_over == HandOver::none ? 0U : 1U})) {
    reads_.reserve(work.what.lines.size());
    if (work.what.hand_over != HandOver::none) add_circuit(board.the("mmio").time("store"));
  }

  LookAheadRun run() {
    const RunReport report = run_.run();
    if (!core_.done()) throw Error(fmt::format("line {} has not come to the core", next_));
    // the core's pace is that of its work, which is no number of a board
    std::vector<platform::PartPlan> plans{{.name = "core", .keys = {}, .actors = {run_.graph.id(core_)}}};
    if (circuit_ != nullptr)
      plans.push_back({.name = "prefetching circuit", .keys = {"kernel.clock"}, .actors = {run_.graph.id(*circuit_)}});
    return {.elapsed = free_ - begun_, .reads = std::move(reads_), .parts = run_.parts(report, std::move(plans))};
  }

 private:
  /// A core's work on a line.
  bool visit(HostCore& core) {
    stop_if_interrupted();
    if (work_.what.lines.empty()) return false;
    if (next_ == 0) begun_ = free_ = core.now();
    if (!core.stores.empty()) hand_over(core);
    const Time from = core.now();
    const fabric::LineResult& line = core.read(work_.address_of(next_), static_cast<std::uint64_t>(work_.line));
    reads_.push_back(core.now() - from);
    if (work_.what.visit) work_.what.visit(next_, {line.data.data(), static_cast<std::size_t>(work_.line)});
    free_ += reads_.back() + work_.what.work;
    if (free_ - cycle_ > core.now()) core.timer.wait_until(free_ - cycle_);  // of this step
    return ++next_ < work_.what.lines.size();
  }

  void hand_over(HostCore& core) {
    const bool last = next_ + 1 == work_.what.lines.size();
    const std::array<std::uint64_t, 2> mail{next_ + 1, last ? kNoMore : work_.address_of(next_ + 1)};
    core.store(work_.mailbox, mail, last);
  }

  void add_circuit(Time store) {
    circuit_ = &run_.add_circuit<Prefetcher>("prefetching circuit", work_);
    run_.board.attach_reads(0, circuit_->accesses, circuit_->results);
    const ChannelOptions buffer{.depth = kStores};
    if (circuit_->registers.empty()) {
      auto& stores = run_.add_distant_core<LineStores>("store buffer");
      run_.graph.connect(core_.stores[0], stores.stores, buffer);
    } else {
      auto& stores = run_.add_host_part<RegisterStores>("store buffer", store);
      run_.graph.connect(core_.stores[0], stores.stores, buffer);
      run_.graph.connect(stores.registers, circuit_->registers[0], run_.registers());
    }
    if (!circuit_->hints.empty()) run_.board.attach_hints(circuit_->hints[0]);
  }

  LookAheadWork work_;
  Time cycle_;  ///< period of the core's clock
  Time begun_{};
  Time free_{};  ///< time at which the work on the lines so far is over
  std::size_t next_ = 0;
  std::vector<Time> reads_{};
  SharedRun run_;
  HostCore& core_;
  Prefetcher* circuit_ = nullptr;  ///< null if the core works alone
};

}  // namespace

LookAheadBoard::LookAheadBoard(const platform::Description& board, std::span<const std::byte> data)
    : board_(board), spec_(platform::shared_spec(board)), memory_(spec_) {
  const auto line = static_cast<std::uint64_t>(spec_.coherence.line);
  lines_ = (data.size() + line - 1) / line;
  data_ = memory_.space.allocate({static_cast<std::int64_t>(lines_ * line)});
  mailbox_ = memory_.space.allocate({static_cast<std::int64_t>(line)});
  memory_.space.copy_in(data_, data);
}

LookAheadRun LookAheadBoard::run(const LookAhead& work) {
  for (const std::uint32_t line : work.lines)
    if (line >= lines_) throw Error(fmt::format("line {}: expected one of the {} of the data", line, lines_));
  std::ranges::fill(memory_.space.bytes(mailbox_, spec_.coherence.line), std::byte{0});
  return LookAheadMachine(
             board_, spec_, memory_,
             {.what = work, .space = memory_.space, .data = data_, .mailbox = mailbox_, .line = spec_.coherence.line})
      .run();
}

}  // namespace isthmus::queues
