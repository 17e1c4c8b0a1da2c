#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isthmus/engine/graph.hpp"
#include "isthmus/fabric/host.hpp"
#include "isthmus/offload/model.hpp"
#include "offload/model/coarse/pace.hpp"
#include "offload/model/machine.hpp"
#include "offload/model/objects.hpp"
#include "offload/model/queue.hpp"

namespace isthmus::offload::model {

/// One run of a device, alone or beside others.
struct DeviceRun {
  std::vector<HostThread> threads;
  RunContext context;
  Machine machine{};
};

/// A modelled device: what it holds between runs, and how a run of it is built.
class MachineDevice final : public ModelDevice {
 public:
  MachineDevice(platform::Description board, std::vector<KernelModel> kernels, const ModelOptions& options);

  const DeviceProperties& properties() const override { return properties_; }
  Moment now() const override;
  Buffer buffer(std::size_t bytes, const MemoryBank& bank) override;
  void keep_staging(const Buffer& buffer) override;
  PinnedBuffer pinned(std::size_t bytes) override;
  PinnedBuffer pin(std::span<std::byte> memory) override;
  std::unique_ptr<Queue> queue() override { return std::make_unique<ModelQueue>(at_work_, next_id_++); }
  std::unique_ptr<Queue> copy_queue() override { return queue(); }
  std::unique_ptr<Mailbox> mailbox(std::size_t depth) override {
    return std::make_unique<ModelMailbox>(at_work_, next_id_++, depth);
  }
  Kernel kernel(const std::string& name) override;
  std::unique_ptr<Program> program(std::span<const ProgramSource> sources, const std::string& options) override;
  std::unique_ptr<Program> program_from_binary(const std::string& file) override;
  void run(std::vector<HostThread> threads) override;
  void work(Time time) override { at_work_.thread().work(time); }
  void works_on(int message) override { at_work_.thread().works_on(message); }
  Time access_registers(const RegisterAccess& access, int count) override;
  HostAccessLatency access_host_memory(const HostAccess& access) override;

  const std::vector<Part>& parts() const override { return parts_; }
  Time last_run() const override { return last_run_; }
  Grain grain() const override { return grain_; }
  const std::vector<platform::Held>& path() const override { return path_; }
  void observe(StateObserver* states) override { states_ = states; }
  void surround(Surroundings* surroundings) override { surroundings_ = surroundings; }
  std::int64_t hear() override { return at_work_.thread().hear(); }
  void tell(std::int64_t number) override { at_work_.thread().tell(number); }
  Time host_work() const override { return host_work_; }
  void shuffle(std::uint64_t schedule_seed) override { order_.schedule_seed = schedule_seed; }

  const MachineSpec& spec() const { return spec_; }
  /// Builds a run in `graph`, in `host` if it is not null, else in a host of its own.
  std::unique_ptr<DeviceRun> begin(Graph& graph, std::vector<HostThread> threads, fabric::Host* host);
  /// Takes what came of it, once no body has failed.
  void end(const DeviceRun& run, const RunReport& report);
  /// Lets time pass, as others need it: until then.
  void wait_until(Time clock) { clock_ = std::max(clock_, clock); }
  Time clock() const { return clock_; }

 private:
  void spend(Time time);
  RunContext new_context();
  bool may_be_coarse(std::size_t threads) const;
  void run_coarse(std::vector<HostThread> threads);
  Loaded loaded() { return {.spec = spec_, .kernels = loaded_, .memory = memory_}; }
  Time enqueue() const { return spec_.host ? spec_.host->calls.enqueue : Time{}; }
  Time allocation(Bytes size) const { return spec_.host && spec_.host->alloc ? spec_.host->alloc->of(size) : Time{}; }

  platform::Description board_;
  MachineSpec spec_;
  DeviceProperties properties_;
  std::vector<KernelModel> kernels_;
  std::vector<const KernelModel*> loaded_;  ///< on the FPGA
  fabric::DeviceMemory memory_;
  PinnedMap pinned_;
  RunOrder order_;
  Grain asked_;  ///< the coarsest that will do
  Grain grain_ = Grain::fine;
  std::optional<Pace> pace_{};  ///< of the kernels that were loaded
  std::size_t kernels_of_pace_ = 0;
  AtWork at_work_;
  int next_id_ = 0;
  Time clock_;
  Time last_run_;
  Time host_work_;
  StateObserver* states_ = nullptr;
  Surroundings* surroundings_ = nullptr;
  std::vector<Part> parts_;
  std::vector<platform::Held> path_;
};

/// Throws what a body of these runs threw first; of several at one instant, of the thread that comes first. Throws
/// Error where a run did not come to its end otherwise.
void require_finished(std::span<const std::unique_ptr<DeviceRun>> runs, const RunReport& report,
                      const std::string& name);

/// What a run of bodies needs: room on their fibers for what applications call.
RunOptions options_of_bodies(const RunOrder& order);

}  // namespace isthmus::offload::model
