#include "offload/model/critical_path.hpp"

#include <algorithm>
#include <functional>

#include "offload/model/machine.hpp"

namespace isthmus::offload::model {
namespace {

using platform::Held;

/// The commands of one unit: how long they were on the device, and what they moved through its memory.
struct Phase {
  Time time;
  double bytes = 0;
};

class Path {
 public:
  explicit Path(const EndedRun& run) : run_(run) {
    for (const auto& command : run.context.commands) {
      Phase& of_unit = phase(command->unit);
      of_unit.time += command->on_device();
      of_unit.bytes += static_cast<double>(command->bytes);
    }
    if (phase(Unit::kernel).time > Time{} && run.spec.memory) phase(Unit::kernel).bytes = kernel_bytes();
  }

  std::vector<Held> held() {
    const Pieces path = longest();
    add(busiest_thread(), path[Piece::host_thread]);
    add(kTransferCall, path[Piece::driver_call]);
    add(kAllocation, path[Piece::allocation]);
    add(kCopy, path[Piece::copy]);
    add(kLaunchCall, path[Piece::launch]);
    const auto passed = [this](const char* link, const std::string& dma) {
      return std::vector<Held>{{kDma, busy(dma)}, {link, busy(link)}, {fabric::kHostMemory, busy(fabric::kHostMemory)}};
    };
    if (run_.spec.dma) {
      on_device(Unit::to_device, path, passed(fabric::kHostToDevice, to_device(kDma)));
      on_device(Unit::to_host, path, passed(fabric::kDeviceToHost, to_host(kDma)));
    }
    if (phase(Unit::kernel).time > Time{}) on_device(Unit::kernel, path, of_kernel());
    return std::move(held_);
  }

 private:
  Phase& phase(Unit unit) { return phases_.at(static_cast<std::size_t>(unit)); }
  Time busy(const std::string& actor) const { return run_.report.actor(actor).busy; }

  void add(const std::string& part, Time time) {
    if (time > Time{}) held_.push_back({part, time});
  }

  /// The path to the end of the command that ended last; until the run's end its thread went on.
  Pieces longest() const {
    const auto& commands = run_.context.commands;
    if (commands.empty()) return {};
    const auto last =
        std::ranges::max_element(commands, std::less{}, [](const auto& command) { return command->ran.end; });
    Pieces path = (*last)->path;
    path[Piece::host_thread] += run_.context.start + run_.report.end - (*last)->ran.end;
    return path;
  }

  std::string busiest_thread() const {
    const auto thread = std::ranges::max_element(run_.threads, std::less{},
                                                 [this](const HostThread& each) { return busy(thread_name(each)); });
    return thread_name(*thread);
  }

  std::vector<Held> of_kernel() const {
    std::vector<Held> parts{{kKernel, busy(kKernel)}};
    if (run_.spec.memory) parts.push_back({kKernelPorts, std::max(busy(kKernelReads), busy(kKernelWrites))});
    return parts;
  }

  /// A kernel's ports are busy for the beats of what it reads and writes.
  double kernel_bytes() const {
    const fabric::AxiSpec& axi = needed(run_.spec.memory).axi;
    const double rate = static_cast<double>(axi.width.count) * axi.clock.hertz();
    return (busy(kKernelReads) + busy(kKernelWrites)).seconds() * rate;
  }

  /// The time that memory works for a unit: of all its work, by the bytes.
  Time memory_for(Unit unit) {
    Time dram;
    for (const ActorReport& actor : run_.report.actors)
      if (actor.name.starts_with(kDram)) dram = std::max(dram, actor.busy);
    double all = 0;
    for (const Phase& each : phases_) all += each.bytes;
    return all > 0 ? Time::seconds(dram.seconds() * phase(unit).bytes / all) : Time{};
  }

  /// Shares the unit's piece of the path out: to the slowest of the parts, and what goes beyond it to memory.
  void on_device(Unit unit, const Pieces& path, std::vector<Held> parts) {
    const Time whole = phase(unit).time;
    if (whole == Time{}) return;
    const Time piece = path[piece_of(unit)];
    parts.push_back({kDram, memory_for(unit)});
    const Held& slowest = *std::ranges::max_element(parts, std::less{}, &Held::time);
    const double works = std::min(1.0, slowest.time.seconds() / whole.seconds());
    const Time worked = Time::seconds(piece.seconds() * works);
    add(slowest.part, worked);
    add(kDram, piece - worked);
  }

  const EndedRun& run_;
  std::array<Phase, fabric::kUnits> phases_;
  std::vector<Held> held_;
};

}  // namespace

std::vector<Held> critical_path(const EndedRun& run) {
  return Path(run).held();
}

}  // namespace isthmus::offload::model
