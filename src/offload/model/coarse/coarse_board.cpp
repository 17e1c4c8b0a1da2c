#include "offload/model/coarse/coarse_board.hpp"

#include <fmt/format.h>

#include "isthmus/stream/all_closed.hpp"

namespace isthmus::offload::model {
namespace {

/// Lets the time pass that a unit's commands take.
class UnitWaiter {
 public:
  In<CommandToken> in{"in"};
  Out<CommandToken> out{"out"};
  Turn turn{true};

  void step() {
    const CommandToken token = in.read();
    turn.take({.command = token.command, .bytes = 0});
    out.push(token);
  }
};

/// Gives each unit one command at a time, as doorbells and interrupts do.
class UnitAccess {
 public:
  PortArray<In<CommandToken>> submitted;
  PortArray<Out<CommandToken>> completed;
  PortArray<Out<CommandToken>> begin;
  PortArray<In<CommandToken>> ended;

  UnitAccess(std::size_t workers, std::size_t units)
      : submitted(workers), completed(workers), begin(units), ended(units), units_(units) {}

  void step() {
    for (auto& unit : ended) {
      CommandToken token{};
      if (!unit.pull(token)) continue;
      units_.end(token.command->unit);
      completed[token.command->worker].push(token);
    }
    units_.begin_free(submitted, [this](CommandToken token) { begin[token.command->unit].push(token); });
    finished_ = !units_.any() && all_closed(submitted);
  }
  bool done() const { return finished_; }

 private:
  UnitsUnderWay units_;
  bool finished_ = false;
};

class CoarseBoard final : public BoardSide {
 public:
  CoarseBoard(Graph& graph, const MachineSpec& spec, UnitAccess& access, CoarseDevice& device)
      : graph_(graph), spec_(spec), access_(access), device_(device) {}

  In<CommandToken>& submitted(std::size_t worker) override { return access_.submitted[worker]; }
  Out<CommandToken>& completed(std::size_t worker) override { return access_.completed[worker]; }
  platform::Grain grain() const override { return platform::Grain::coarse; }
  void attach_core(CopyingCore& core) override { attach(core.turn); }
  Staging staging() override { return {spec_.engines.front(), needed(spec_.host).chunk}; }

  void attach(Turn& turn) {
    graph_.connect(turn.calls[0], device_.calls[attached_], kAtOnce);
    graph_.connect(device_.replies[attached_++], turn.replies[0], kAtOnce);
  }

 private:
  Graph& graph_;
  const MachineSpec& spec_;
  UnitAccess& access_;
  CoarseDevice& device_;
  std::size_t attached_ = 0;
};

}  // namespace

CoarseMachine build_coarse_machine(Graph& graph, const MachinePlan& plan, Pace& pace) {
  const Loaded& loaded = plan.board;
  const std::size_t units = loaded.units().count();
  const auto cores = static_cast<std::size_t>(copying_cores(loaded.spec, plan.threads.size()));
  BoardAtRest board_of_samples = board_at_rest(loaded);
  auto& device = graph.add<CoarseDevice>("device", {}, units + cores, loaded, pace, std::move(board_of_samples.spent));
  const Workers workers = workers_of(loaded.spec, plan.threads.size(), loaded.kernels.size());
  auto& access = graph.add<UnitAccess>("units", {}, workers.count(), units);
  CoarseBoard board(graph, loaded.spec, access, device);
  for (std::size_t unit = 0; unit < units; ++unit) {
    auto& waiter = graph.add<UnitWaiter>(fmt::format("unit {}", unit), {});
    graph.connect(access.begin[unit], waiter.in, kAtOnce);
    graph.connect(waiter.out, access.ended[unit], kAtOnce);
    board.attach(waiter.turn);
  }
  CoarseMachine built{.machine = std::move(board_of_samples.machine), .device = &device};
  move_ids(built.machine, kIdsOfBoard);
  build_host(graph, plan, board, built.machine);
  arrange_parts(plan, built.machine);
  return built;
}

}  // namespace isthmus::offload::model
