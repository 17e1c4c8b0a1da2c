#include "isthmus/shared/queues/look_ahead.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "shared/queues/look_ahead_actors.hpp"

namespace isthmus::queues {
namespace {

using platform::SharedBoard;

bool by_mailbox(HandOver hand_over) {
  return hand_over != HandOver::none && hand_over != HandOver::mmio;
}

platform::SharedSpec watching(platform::SharedSpec spec, const LookAheadWork& work) {
  if (work.what.hand_over != HandOver::umsg) return spec;
  fabric::CoherentCacheSpec& cache = spec.coherence.agents[SharedBoard::kFpga].cache;
  cache.watched = work.space.physical(work.mailbox) / static_cast<std::uint64_t>(work.line);
  cache.watched_lines = 1;
  return spec;
}

class LookAheadMachine {
 public:
  LookAheadMachine(const platform::Description& board, const platform::SharedSpec& spec, PinnedMemory& memory,
                   const LookAheadWork& work)
      : description_(board),
        spec_(watching(spec, work)),
        work_(work),
        board_(graph_, spec_, memory, work.space, by_mailbox(work.what.hand_over) ? 2 : 1),
        core_(graph_.add<VisitingCore>("core", host(), work_,
                                       Time::seconds(1 / spec_.coherence.clock.frequency.hertz()))) {
    board_.attach_distant_core(core_.accesses, core_.results);
    if (work.what.hand_over != HandOver::none) add_circuit(board.the("mmio").time("store"));
    for (int port = circuit_ == nullptr ? 0 : 1; port < spec_.ports; ++port) board_.leave_out_reads(port);
    for (int port = 0; port < spec_.ports; ++port) board_.leave_out_writes(port);
  }

  LookAheadRun run() {
    const RunReport report = graph_.run();
    if (!core_.done()) throw Error(fmt::format("line {} has not come to the core", core_.next));
    // the core's pace is that of its work, which is no number of a board
    std::vector<platform::PartPlan> plans{{.name = "core", .keys = {}, .actors = {graph_.id(core_)}}};
    if (circuit_ != nullptr)
      plans.push_back({.name = "prefetching circuit", .keys = {"kernel.clock"}, .actors = {graph_.id(*circuit_)}});
    return {.elapsed = core_.ended - core_.begun,
            .reads = std::move(core_.reads),
            .parts = platform::parts_of(report, platform::on_board(std::move(plans), description_))};
  }

 private:
  ActorOptions host() const { return {.clock = spec_.coherence.clock, .group = kHostGroup}; }

  void add_circuit(Time store) {
    circuit_ = &graph_.add<Prefetcher>("prefetching circuit", {.clock = spec_.circuit, .group = kDeviceGroup}, work_);
    board_.attach_reads(0, circuit_->accesses, circuit_->results);
    const ChannelOptions buffer{.depth = kStores};
    if (circuit_->registers.empty()) {
      auto& stores = graph_.add<LineStores>("store buffer", host());
      graph_.connect(core_.stores[0], stores.stores, buffer);
      board_.attach_distant_core(stores.accesses, stores.results);
    } else {
      auto& stores = graph_.add<RegisterStores>("store buffer", host(), store);
      graph_.connect(core_.stores[0], stores.stores, buffer);
      graph_.connect(stores.registers, circuit_->registers[0], board_.to_circuit());
    }
    if (!circuit_->hints.empty()) board_.attach_hints(circuit_->hints[0]);
  }

  const platform::Description& description_;
  platform::SharedSpec spec_;
  LookAheadWork work_;
  Graph graph_;
  SharedBoard board_;
  VisitingCore& core_;
  Prefetcher* circuit_ = nullptr;  ///< null if the core works alone
};

}  // namespace

LookAheadBoard::LookAheadBoard(const platform::Description& board, std::span<const std::byte> data)
    : board_(board), spec_(platform::shared_spec(board)), space_(memory_, spec_.space) {
  const auto line = static_cast<std::uint64_t>(spec_.coherence.line);
  lines_ = (data.size() + line - 1) / line;
  data_ = space_.allocate({static_cast<std::int64_t>(lines_ * line)});
  mailbox_ = space_.allocate({static_cast<std::int64_t>(line)});
  space_.copy_in(data_, data);
}

LookAheadRun LookAheadBoard::run(const LookAhead& work) {
  for (const std::uint32_t line : work.lines)
    if (line >= lines_) throw Error(fmt::format("line {}: expected one of the {} of the data", line, lines_));
  std::ranges::fill(space_.bytes(mailbox_, spec_.coherence.line), std::byte{0});
  return LookAheadMachine(
             board_, spec_, memory_,
             {.what = work, .space = space_, .data = data_, .mailbox = mailbox_, .line = spec_.coherence.line})
      .run();
}

}  // namespace isthmus::queues
