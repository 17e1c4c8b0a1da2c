#include "offload/model/critical_path.hpp"

#include <algorithm>
#include <functional>

#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/platform/link.hpp"
#include "offload/model/runtime.hpp"

namespace isthmus::offload::model {
namespace {

using platform::Held;

/// What units of the device did in a run, and what they hold of its critical path.
struct Phase {
  RuntimeState::Done done{};
  Time piece{};

  void add(const RuntimeState::Done& more, Time held) {
    done.time += more.time;
    done.bytes += more.bytes;
    piece += held;
  }
};

class Path {
 public:
  explicit Path(const EndedRun& run)
      : run_(run), units_(run.spec.engines.size(), run.machine.actors[Role::kernels].size()), path_(longest()) {
    for (std::size_t engine = 0; engine < units_.engines(); ++engine) {
      add_to(to_device_.emplace_back(), fabric::Units::to_device(engine));
      add_to(to_host_.emplace_back(), fabric::Units::to_host(engine));
    }
    for (std::size_t kernel = 0; kernel < units_.kernels(); ++kernel) add_to(kernels_, units_.kernel(kernel));
    if (kernels_.done.time > Time{} && run.spec.board.memory) kernels_.done.bytes = kernel_bytes();
  }

  std::vector<Held> held() {
    add(busiest_thread(), path_.host[HostCost::host_thread]);
    add(kTransferCall, path_.host[HostCost::driver_call]);
    add(kAllocation, path_.host[HostCost::allocation]);
    add(kCopy, path_.host[HostCost::copy]);
    add(kLaunchCall, path_.host[HostCost::launch]);
    for (std::size_t link = 0; link < units_.engines(); ++link) {
      const fabric::PcieLinkActors& lanes = run_.machine.links[link];
      on_device(to_device_[link], over(link, to_device_[link],
                                       {{kDma, busy(actors()[Role::dma_to_device][link])},
                                        {fabric::kHostToDevice, busy(lanes.to_device)}}));
      on_device(to_host_[link],
                over(link, to_host_[link],
                     {{kDma, busy(actors()[Role::dma_to_host][link])}, {fabric::kDeviceToHost, busy(lanes.to_host)}}));
    }
    if (kernels_.done.time > Time{}) on_device(kernels_, of_kernel());
    return std::move(held_);
  }

 private:
  const MachineActors& actors() const { return run_.machine.actors; }

  void add_to(Phase& phase, fabric::Unit unit) const {
    const auto held = path_.units.find(unit);
    phase.add(run_.machine.runtime->state().done(unit), held != path_.units.end() ? held->second : Time{});
  }

  /// What a transfer passes over a link: the link's own parts and the host's memory.
  std::vector<Held> over(std::size_t link, const Phase& phase, std::vector<Held> own) const {
    for (Held& held : own)
      held.part = platform::name_on_link(platform::scope_of_link(run_.spec.board, link), held.part);
    own.push_back({fabric::kHostMemory, host_memory_for(phase)});
    return own;
  }
  Time busy(ActorId actor) const { return run_.report.actor(actor).busy; }

  void add(const std::string& part, Time time) {
    if (time > Time{}) held_.push_back({part, time});
  }

  /// The path to the end of the command that ended last; until the run's end its thread went on.
  CommandPath longest() const {
    const Command* last = run_.machine.runtime->state().last();
    if (last == nullptr) return {};
    CommandPath path = last->path;
    path.host[HostCost::host_thread] += run_.context.start + run_.report.end - last->ran.end;
    return path;
  }

  std::string busiest_thread() const {
    const Actors& threads = actors()[Role::threads];
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
    std::vector<Held> parts{{kKernel, busiest(actors()[Role::kernels])}};
    if (!actors()[Role::kernel_reads].empty())
      parts.push_back(
          {kKernelPorts, std::max(busiest(actors()[Role::kernel_reads]), busiest(actors()[Role::kernel_writes]))});
    return parts;
  }

  /// A kernel's ports are busy for the beats of what it reads and writes.
  double kernel_bytes() const {
    const fabric::AxiSpec& axi = needed(run_.spec.board.memory).axi;
    const double rate = static_cast<double>(axi.width.count) * axi.clock.hertz();
    Time all;
    for (const Actors* ports : {&actors()[Role::kernel_reads], &actors()[Role::kernel_writes]})
      for (const ActorId port : *ports) all += busy(port);
    return all.seconds() * rate;
  }

  /// The time that the host's memory works for what a unit moves: it has other work too.
  Time host_memory_for(const Phase& phase) const {
    const double rate = needed(run_.spec.board.host).bandwidth.bytes_per_second;
    return Time::seconds(phase.done.bytes / rate);
  }

  /// The time that memory works for a unit: of all its work, by the bytes.
  Time memory_for(const Phase& phase) const {
    const Time dram = busiest(actors()[Role::dram]);
    double all = kernels_.done.bytes;
    for (const auto* direction : {&to_device_, &to_host_})
      for (const Phase& each : *direction) all += each.done.bytes;
    return all > 0 ? Time::seconds(dram.seconds() * phase.done.bytes / all) : Time{};
  }

  /// Shares the unit's piece of the path out: to the slowest of the parts, and what goes beyond it to memory.
  void on_device(const Phase& phase, std::vector<Held> parts) {
    const Time whole = phase.done.time;
    if (whole == Time{}) return;
    parts.push_back({kDram, memory_for(phase)});
    const Held& slowest = *std::ranges::max_element(parts, std::less{}, &Held::time);
    const double works = std::min(1.0, slowest.time.seconds() / whole.seconds());
    const Time worked = Time::seconds(phase.piece.seconds() * works);
    add(slowest.part, worked);
    add(kDram, phase.piece - worked);
  }

  const EndedRun& run_;
  fabric::Units units_;
  CommandPath path_;
  std::vector<Phase> to_device_;  ///< by link
  std::vector<Phase> to_host_;
  Phase kernels_;
  std::vector<Held> held_;
};

}  // namespace

std::vector<Held> critical_path(const EndedRun& run) {
  return Path(run).held();
}

}  // namespace isthmus::offload::model
