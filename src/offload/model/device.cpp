#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/model/critical_path.hpp"
#include "offload/model/host_access.hpp"
#include "offload/model/machine.hpp"
#include "offload/model/objects.hpp"
#include "offload/model/registers.hpp"

namespace isthmus::offload {
namespace {

using namespace model;

/// Passes on the states of a run that began at `start`.
class Later final : public StateObserver {
 public:
  Later(StateObserver* observer, Time start) : observer_(observer), start_(start) {}
  void stretch(const std::string& actor, State state, Time begin, Time end) override {
    observer_->stretch(actor, state, start_ + begin, start_ + end);
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

MemoryMap memory_map(const MachineSpec& spec) {
  return spec.memory ? MemoryMap(spec.memory->channel_capacity, spec.memory->channels) : MemoryMap({}, 0);
}

class ModelDeviceImpl final : public ModelDevice {
 public:
  ModelDeviceImpl(platform::Description board, std::vector<KernelModel> kernels, std::uint64_t seed)
      : board_(std::move(board)),
        spec_(machine_spec(board_)),
        info_{.name = board_.name(),
              .modelled = true,
              .opening = {},
              .link = link_rates(spec_),
              .memory = spec_.memory.has_value()},
        kernels_(std::move(kernels)),
        memory_(memory_map(spec_)),
        order_{.seed = seed, .schedule_seed = 0} {}

  const DeviceInfo& info() const override { return info_; }
  Time clock() const override { return clock_; }

  std::unique_ptr<Buffer> allocate(Bytes size) override {
    platform::require(board_, "a buffer of the device", needs::kDeviceMemory);
    clock_ += enqueue();
    return std::make_unique<ModelBuffer>(memory_, size, allocation(size), clock_);
  }
  std::unique_ptr<PinnedBuffer> pin(Bytes size) override {
    clock_ += allocation(size);
    return std::make_unique<ModelPinnedBuffer>(pinned_, size);
  }
  std::unique_ptr<Kernel> kernel(const std::string& name) override;
  std::unique_ptr<Queue> queue() override { return std::make_unique<ModelQueue>(next_id_++); }
  std::unique_ptr<Mailbox> mailbox(std::size_t depth) override {
    return std::make_unique<ModelMailbox>(next_id_++, depth);
  }
  void run(std::vector<HostThread> threads) override;
  Time access_registers(const RegisterAccess& access, int count) override {
    platform::require(board_, "an access to registers", needs::kRegisters);
    const Time took = model::access_registers(spec_, access, count, order_);
    clock_ += took;
    return took;
  }
  HostAccessLatency access_host_memory(const HostAccess& access) override {
    platform::require(board_, "an access to host memory", needs::kHostAccess);
    return model::access_host_memory(spec_, access, order_);
  }

  const std::vector<Part>& parts() const override { return parts_; }
  Time last_run() const override { return last_run_; }
  const std::vector<platform::Held>& path() const override { return path_; }
  void observe(StateObserver* states) override { states_ = states; }
  void shuffle(std::uint64_t schedule_seed) override { order_.schedule_seed = schedule_seed; }

 private:
  Time enqueue() const { return spec_.host ? spec_.host->calls.enqueue : Time{}; }
  Time allocation(Bytes size) const { return spec_.host && spec_.host->alloc ? spec_.host->alloc->of(size) : Time{}; }

  platform::Description board_;  ///< with one link at most
  MachineSpec spec_;
  DeviceInfo info_;
  std::vector<KernelModel> kernels_;
  const KernelModel* kernel_ = nullptr;  ///< on the FPGA
  MemoryMap memory_;
  PinnedMap pinned_;
  RunOrder order_;
  int next_id_ = 0;
  Time clock_;
  Time last_run_;
  StateObserver* states_ = nullptr;
  std::vector<Part> parts_;
  std::vector<platform::Held> path_;
};

std::unique_ptr<Kernel> ModelDeviceImpl::kernel(const std::string& name) {
  platform::require(board_, fmt::format("kernel '{}'", name), needs::kLaunches);
  const auto found = std::ranges::find(kernels_, name, &KernelModel::name);
  if (found == kernels_.end()) throw Error(fmt::format("device '{}': no model of kernel '{}'", info_.name, name));
  if (kernel_ != nullptr && kernel_ != &*found)
    throw Error(
        fmt::format("device '{}': the FPGA holds kernel '{}', not '{}' beside it", info_.name, kernel_->name, name));
  kernel_ = &*found;
  return std::make_unique<ModelKernel>();
}

void ModelDeviceImpl::run(std::vector<HostThread> threads) {
  platform::require(board_, "host threads", needs::kHost);
  if (!spec_.shell_clock()) platform::require(board_, "registers", needs::kLaunches);
  RunContext context{.board = board_,
                     .costs = needed(spec_.host).calls,
                     .pinned = pinned_,
                     .start = clock_,
                     .commands = {},
                     .failure = nullptr};
  Graph graph(order_.seed);
  const auto parts = build_machine(
      graph, {.spec = spec_, .kernel = kernel_, .memory = memory_, .threads = threads, .context = context});
  constexpr std::size_t kBodyStack = 1024 * 1024;
  Later states(states_, clock_);
  const RunReport report = graph.run({.throw_on_error = false,
                                      .stack_bytes = kBodyStack,
                                      .states = states_ != nullptr ? &states : nullptr,
                                      .schedule_seed = order_.schedule_seed});
  if (context.failure) std::rethrow_exception(context.failure);
  if (report.outcome != Outcome::finished) throw Error(fmt::format("model of {}: {}", info_.name, report.message));
  last_run_ = report.end;
  clock_ += report.end;
  parts_ = platform::parts_of(report, platform::on_board(parts.in(report), board_));
  path_ = critical_path({.spec = spec_, .threads = threads, .context = context, .report = report});
}

}  // namespace

std::unique_ptr<ModelDevice> open_model(const platform::Description& board, std::vector<KernelModel> kernels,
                                        const ModelOptions& options) {
  return std::make_unique<ModelDeviceImpl>(board.over(options.channel), std::move(kernels), options.seed);
}

std::uint64_t kernel_argument(fabric::DeviceAddress at) {
  return std::uint64_t{at.channel} << 56U | at.byte;
}
std::uint64_t kernel_argument(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}
fabric::DeviceAddress address_argument(std::uint64_t argument) {
  return {.channel = static_cast<std::uint32_t>(argument >> 56U), .byte = argument & ((std::uint64_t{1} << 56U) - 1)};
}
std::int32_t integer_argument(std::uint64_t argument) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(argument));
}

}  // namespace isthmus::offload
