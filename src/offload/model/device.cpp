#include "offload/model/device.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/model/coarse/coarse_board.hpp"
#include "offload/model/critical_path.hpp"
#include "offload/model/host_access.hpp"
#include "offload/model/registers.hpp"

namespace isthmus::offload {
namespace model {
namespace {

/// Passes on the states of a run that began at `start`.
class Later final : public StateObserver {
 public:
  Later(StateObserver* observer, Time start) : observer_(observer), start_(start) {}
  void interval(const std::string& actor, State state, Time begin, Time end) override {
    observer_->interval(actor, state, start_ + begin, start_ + end);
  }
  void stands_under(const std::string& actor, const std::string& group) override {
    observer_->stands_under(actor, group);
  }
  void works_on(const std::string& actor, Time at, std::int64_t message) override {
    observer_->works_on(actor, start_ + at, message);
  }
  void entries(const std::string& actor, const char* occupancy, Time at, std::int64_t change) override {
    observer_->entries(actor, occupancy, start_ + at, change);
  }

 private:
  StateObserver* observer_;
  Time start_;
};

Time work_of_host(const MachineActors& actors, const RunReport& report) {
  Time sum;
  for (const Actors& some : actors.of_host_software())
    for (const ActorId actor : some) sum += report.actor(actor).busy;
  return sum;
}

/// The kernels that a model was opened with.
class ModelProgram final : public Program {
 public:
  ModelProgram(Device& device, std::span<const KernelModel> kernels, const AtWork& at_work)
      : device_(device), kernels_(kernels), at_work_(at_work) {}
  Kernel kernel(const std::string& name) const override { return device_.kernel(name); }
  bool has(const std::string& kernel) const override {
    return std::ranges::find(kernels_, kernel, &KernelModel::name) != kernels_.end();
  }
  std::vector<std::byte> binary() const override { throw at_work_.refused("the binary of a program"); }

 private:
  Device& device_;
  std::span<const KernelModel> kernels_;
  const AtWork& at_work_;
};

/// Those of the board: what its file says of memory and kernels.
DeviceProperties properties_of(const MachineSpec& spec, const platform::Description& board) {
  DeviceProperties properties{.target = board.file().string(),
                              .modelled = true,
                              .name = board.name(),
                              .platform = "model",
                              .type = "accelerator",
                              .host_memory = !spec.board.memory,
                              .link = link_rates(spec)};
  if (spec.kernel) properties.clock_mhz = std::llround(spec.kernel->clock.frequency.hertz() * 1e-6);
  if (!spec.board.memory) return properties;
  const auto& memory = *spec.board.memory;
  properties.max_allocation = memory.channel_capacity.count;
  properties.global_memory = memory.channel_capacity.count * static_cast<std::int64_t>(memory.channels);
  return properties;
}

}  // namespace

MachineDevice::MachineDevice(platform::Description board, std::vector<KernelModel> kernels, const ModelOptions& options)
    : board_(std::move(board)),
      spec_(machine_spec(board_)),
      properties_(properties_of(spec_, board_)),
      kernels_(std::move(kernels)),
      memory_(platform::device_memory(spec_.board)),
      order_{.seed = options.seed, .schedule_seed = 0},
      asked_(options.grain),
      at_work_(board_.name()) {}

Moment MachineDevice::now() const {
  HostThreadActor* thread = at_work_.thread_if_any();
  return Moment(thread != nullptr ? thread->now() : clock_);
}

/// Work of the host thread that is at work, or of set-up.
void MachineDevice::spend(Time time) {
  if (HostThreadActor* thread = at_work_.thread_if_any())
    thread->work(time);
  else
    clock_ += time;
}

Buffer MachineDevice::buffer(std::size_t bytes, const MemoryBank& bank) {
  platform::require(board_, "a buffer of the device", needs::kDeviceMemory);
  if (bank.told != MemoryBank::Told::nothing) throw at_work_.refused("a buffer in a bank by number");
  spend(enqueue());
  return {std::make_shared<ModelBuffer>(memory_, Bytes{static_cast<std::int64_t>(bytes)}), bytes};
}

void MachineDevice::keep_staging(const Buffer& buffer) {
  auto& kept = dynamic_cast<ModelBuffer&>(buffer.object());
  if (!std::exchange(kept.keeps_staging, true)) spend(allocation({static_cast<std::int64_t>(buffer.size())}));
}

PinnedBuffer MachineDevice::pinned(std::size_t bytes) {
  spend(allocation({static_cast<std::int64_t>(bytes)}));
  const auto memory = std::make_shared<ModelPinnedBuffer>(pinned_, bytes);
  return {memory, memory->bytes()};
}

PinnedBuffer MachineDevice::pin(std::span<std::byte>) {
  throw at_work_.refused("memory of the host that is there already");
}

std::unique_ptr<Program> MachineDevice::program(std::span<const ProgramSource>, const std::string&) {
  return std::make_unique<ModelProgram>(*this, kernels_, at_work_);
}

std::unique_ptr<Program> MachineDevice::program_from_binary(const std::string&) {
  throw at_work_.refused("the binary of a program");
}

Time MachineDevice::access_registers(const RegisterAccess& access, int count) {
  platform::require(board_, "an access to registers", needs::kRegisters);
  const Time took = model::access_registers(over_first_link(spec_), access, count, order_);
  clock_ += took;
  return took;
}

HostAccessLatency MachineDevice::access_host_memory(const HostAccess& access) {
  platform::require(board_, "an access to host memory", needs::kHostAccess);
  return model::access_host_memory(over_first_link(spec_), access, order_);
}

Kernel MachineDevice::kernel(const std::string& name) {
  platform::require(board_, fmt::format("kernel '{}'", name), needs::kLaunches);
  const auto found = std::ranges::find(kernels_, name, &KernelModel::name);
  if (found == kernels_.end()) throw Error(fmt::format("device '{}': no model of kernel '{}'", properties_.name, name));
  const auto loaded = std::ranges::find(loaded_, &*found);
  const auto index = static_cast<std::size_t>(loaded - loaded_.begin());
  if (loaded == loaded_.end()) loaded_.push_back(&*found);
  return {std::make_shared<ModelKernel>(index), name};
}

void require_finished(std::span<const std::unique_ptr<DeviceRun>> runs, const RunReport& report,
                      const std::string& name) {
  const HostThreadActor* first = nullptr;
  for (const auto& run : runs)
    for (const HostThreadActor* thread : run->machine.threads)
      if (thread->failure() && (first == nullptr || thread->failed_at() < first->failed_at())) first = thread;
  if (first != nullptr) std::rethrow_exception(first->failure());
  if (report.outcome != Outcome::finished) throw Error(fmt::format("model of {}: {}", name, report.message));
}

RunOptions options_of_bodies(const RunOrder& order) {
  constexpr std::size_t kBodyStack = 1024 * 1024;
  return {.throw_on_error = false, .stack_bytes = kBodyStack, .schedule_seed = order.schedule_seed};
}

void MachineDevice::run(std::vector<HostThread> threads) {
  if (may_be_coarse(threads.size())) return run_coarse(std::move(threads));
  grain_ = Grain::fine;
  Graph graph(order_.seed);
  std::array<std::unique_ptr<DeviceRun>, 1> run{begin(graph, std::move(threads), nullptr)};
  Later states(states_, clock_);
  RunOptions options = options_of_bodies(order_);
  if (states_ != nullptr) options.states = &states;
  const RunReport report = graph.run(options);
  require_finished(run, report, properties_.name);
  end(*run.front(), report);
}

std::unique_ptr<DeviceRun> MachineDevice::begin(Graph& graph, std::vector<HostThread> threads, fabric::Host* host) {
  platform::require(board_, "host threads", needs::kHost);
  if (!spec_.shell_clock()) platform::require(board_, "registers", needs::kLaunches);
  RunContext context = new_context();
  auto run = std::make_unique<DeviceRun>(std::move(threads), std::move(context));
  run->machine =
      build_machine(graph, {.board = loaded(), .threads = run->threads, .context = run->context, .host = host});
  if (surroundings_ != nullptr) surroundings_->build(graph, run->machine.ends);
  return run;
}

RunContext MachineDevice::new_context() {
  return {.run = std::make_shared<RunIdentity>(),
          .at_work = at_work_,
          .board = board_,
          .costs = needed(spec_.host).calls,
          .pinned = pinned_,
          .units = loaded().units(),
          .start = clock_,
          .surrounded = surroundings_ != nullptr};
}

/// Parts that keep something from one command to the next make its time depend on more than itself. Commands of several
/// threads, and chunks that are copied while others cross, meet differently each time.
bool MachineDevice::may_be_coarse(std::size_t threads) const {
  const bool keeps = spec_.board.host && (spec_.board.host->cache || spec_.board.host->iommu);
  const bool meet = threads > 1 || (spec_.host && spec_.host->chunk);
  return asked_ == Grain::coarse && states_ == nullptr && surroundings_ == nullptr && !spec_.engines.empty() &&
         !keeps && !meet;
}

void MachineDevice::run_coarse(std::vector<HostThread> threads) {
  grain_ = Grain::coarse;
  if (!pace_ || kernels_of_pace_ != loaded_.size()) pace_.emplace(loaded(), order_);
  auto& pace = *pace_;
  kernels_of_pace_ = loaded_.size();
  Graph graph(order_.seed);
  RunContext context = new_context();
  std::array runs{std::make_unique<DeviceRun>(std::move(threads), std::move(context))};
  DeviceRun& run = *runs.front();
  const MachinePlan plan{.board = loaded(), .threads = run.threads, .context = run.context, .host = nullptr};
  CoarseMachine built = build_coarse_machine(graph, plan, pace);
  run.machine = std::move(built.machine);
  RunReport report = graph.run(options_of_bodies(order_));
  require_finished(runs, report, properties_.name);
  built.device->add_to(report, kIdsOfBoard);
  end(run, report);
}

void MachineDevice::end(const DeviceRun& run, const RunReport& report) {
  const auto& [threads, context, machine] = run;
  context.run->over = true;
  last_run_ = report.end;
  clock_ += report.end;
  host_work_ = work_of_host(machine.actors, report);
  std::vector<platform::PartPlan> plans = machine.parts;
  if (surroundings_ != nullptr) {
    surroundings_->ended(report);
    platform::append(plans, surroundings_->parts());
  }
  parts_ = platform::parts_of(report, platform::on_board(std::move(plans), board_));
  path_ = critical_path({.spec = spec_, .threads = threads, .context = context, .machine = machine, .report = report});
}

}  // namespace model

std::unique_ptr<ModelDevice> open_model(const platform::Description& board, std::vector<KernelModel> kernels,
                                        const ModelOptions& options) {
  platform::Description opened = options.channel.empty() ? board : board.over(options.channel);
  return std::make_unique<model::MachineDevice>(std::move(opened), std::move(kernels), options);
}

}  // namespace isthmus::offload
