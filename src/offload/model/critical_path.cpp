#include "offload/model/critical_path.hpp"

#include <algorithm>
#include <functional>

#include "offload/model/machine.hpp"
#include "offload/model/runtime.hpp"

namespace isthmus::offload::model {
namespace {

using platform::Held;

class Path {
 public:
  explicit Path(const EndedRun& run) : run_(run) {
    const RuntimeState& state = run.machine.runtime->state();
    for (const Work work : {Work::to_device, Work::to_host, Work::kernel}) phase(work) = state.done(work);
    if (phase(Work::kernel).time > Time{} && run.spec.board.memory) phase(Work::kernel).bytes = kernel_bytes();
  }

  std::vector<Held> held() {
    const Pieces path = longest();
    add(busiest_thread(), path[Piece::host_thread]);
    add(kTransferCall, path[Piece::driver_call]);
    add(kAllocation, path[Piece::allocation]);
    add(kCopy, path[Piece::copy]);
    add(kLaunchCall, path[Piece::launch]);
    if (run_.spec.dma) {
      const fabric::PcieLinkActors& link = needed(run_.machine.link);
      const auto passed = [&](Work work, const char* lane, ActorId lane_actor, const Actors& dma) {
        return std::vector<Held>{
            {kDma, busiest(dma)}, {lane, busy(lane_actor)}, {fabric::kHostMemory, host_memory_for(work)}};
      };
      on_device(Work::to_device, path,
                passed(Work::to_device, fabric::kHostToDevice, link.to_device, actors().dma_to_device));
      on_device(Work::to_host, path, passed(Work::to_host, fabric::kDeviceToHost, link.to_host, actors().dma_to_host));
    }
    if (phase(Work::kernel).time > Time{}) on_device(Work::kernel, path, of_kernel());
    return std::move(held_);
  }

 private:
  RuntimeState::Done& phase(Work work) { return phases_.at(static_cast<std::size_t>(work)); }
  const MachineActors& actors() const { return run_.machine.actors; }
  Time busy(ActorId actor) const { return run_.report.actor(actor).busy; }

  void add(const std::string& part, Time time) {
    if (time > Time{}) held_.push_back({part, time});
  }

  /// The path to the end of the command that ended last; until the run's end its thread went on.
  Pieces longest() const {
    const auto last = run_.machine.runtime->state().last();
    if (!last) return {};
    Pieces path = last->path;
    path[Piece::host_thread] += run_.context.start + run_.report.end - last->end;
    return path;
  }

  std::string busiest_thread() const {
    const Actors& threads = actors().threads;
    const auto busiest =
        std::ranges::max_element(threads, std::less{}, [this](ActorId thread) { return busy(thread); });
    return thread_name(run_.threads[static_cast<std::size_t>(busiest - threads.begin())]);
  }

  Time busiest(const Actors& some) const {
    Time most;
    for (const ActorId actor : some) most = std::max(most, busy(actor));
    return most;
  }

  std::vector<Held> of_kernel() const {
    std::vector<Held> parts{{kKernel, busiest(actors().kernels)}};
    if (!actors().kernel_reads.empty())
      parts.push_back({kKernelPorts, std::max(busiest(actors().kernel_reads), busiest(actors().kernel_writes))});
    return parts;
  }

  /// A kernel's ports are busy for the beats of what it reads and writes.
  double kernel_bytes() const {
    const fabric::AxiSpec& axi = needed(run_.spec.board.memory).axi;
    const double rate = static_cast<double>(axi.width.count) * axi.clock.hertz();
    Time all;
    for (const Actors* ports : {&actors().kernel_reads, &actors().kernel_writes})
      for (const ActorId port : *ports) all += busy(port);
    return all.seconds() * rate;
  }

  /// The time that the host's memory works for what a unit moves: it has other work too.
  Time host_memory_for(Work work) {
    const double rate = needed(run_.spec.board.host).bandwidth.bytes_per_second;
    return Time::seconds(phase(work).bytes / rate);
  }

  /// The time that memory works for a unit: of all its work, by the bytes.
  Time memory_for(Work work) {
    const Time dram = busiest(actors().dram);
    double all = 0;
    for (const RuntimeState::Done& each : phases_) all += each.bytes;
    return all > 0 ? Time::seconds(dram.seconds() * phase(work).bytes / all) : Time{};
  }

  /// Shares the unit's piece of the path out: to the slowest of the parts, and what goes beyond it to memory.
  void on_device(Work work, const Pieces& path, std::vector<Held> parts) {
    const Time whole = phase(work).time;
    if (whole == Time{}) return;
    const Time piece = path[piece_of(work)];
    parts.push_back({kDram, memory_for(work)});
    const Held& slowest = *std::ranges::max_element(parts, std::less{}, &Held::time);
    const double works = std::min(1.0, slowest.time.seconds() / whole.seconds());
    const Time worked = Time::seconds(piece.seconds() * works);
    add(slowest.part, worked);
    add(kDram, piece - worked);
  }

  const EndedRun& run_;
  std::array<RuntimeState::Done, kWorks> phases_;
  std::vector<Held> held_;
};

}  // namespace

std::vector<Held> critical_path(const EndedRun& run) {
  return Path(run).held();
}

}  // namespace isthmus::offload::model
