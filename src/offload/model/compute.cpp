#include "isthmus/offload/compute.hpp"

#include <fmt/format.h>

#include <utility>

#include "isthmus/offload/device.hpp"

/// The modelled machine behind a Device as a ComputeDevice: what is asked of it goes to the host thread that
/// ComputeDevice::run gives its body to.
namespace isthmus::offload::model {
namespace {

std::uint64_t nanoseconds(Time time) {
  return static_cast<std::uint64_t>(time.femtoseconds() / Time::ns(1).femtoseconds());
}

/// The modelled machine and the host thread that is at work on it.
class RunningMachine {
 public:
  explicit RunningMachine(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  Device& device() { return *device_; }
  Host& host() const {
    if (host_ == nullptr) throw refused("a command outside ComputeDevice::run");
    return *host_;
  }
  Time clock() const { return host_ != nullptr ? host_->now() : device_->clock(); }
  void run(const std::function<void()>& body) {
    device_->run({{"host", [&](Host& host) {
                     host_ = &host;
                     const auto leave = [this](Host**) { host_ = nullptr; };
                     const std::unique_ptr<Host*, decltype(leave)> inside(&host_, leave);
                     body();
                   }}});
  }
  Error refused(const std::string& what) const {
    return Error(fmt::format("model of {}: {}, which it has no part for", device_->properties().name, what));
  }

 private:
  std::unique_ptr<Device> device_;
  Host* host_ = nullptr;
};

/// A command of the machine's, or the moment at which several have ended.
class ModelCommand final : public ComputeCommand {
 public:
  ModelCommand(const RunningMachine& machine, std::vector<Event> events)
      : machine_(machine), events_(std::move(events)) {}

  void wait() const override {
    for (const Event& event : events_) machine_.host().wait(event);
  }
  DeviceSpan span() const override {
    if (events_.size() != 1) throw Error("the times of a moment between commands: expected those of a command");
    const Span span = events_.front()->span();
    return {.start = nanoseconds(span.start), .end = nanoseconds(span.end)};
  }
  std::uint64_t queued() const override { return span().start; }
  const std::vector<Event>& events() const { return events_; }

 private:
  const RunningMachine& machine_;
  std::vector<Event> events_;
};

std::vector<Event> events_of(ComputeEvents awaited) {
  std::vector<Event> all;
  for (const ComputeEvent& each : awaited) {
    const auto& events = dynamic_cast<const ModelCommand&>(each.command()).events();
    all.insert(all.end(), events.begin(), events.end());
  }
  return all;
}

class ModelComputeQueue final : public ComputeQueue {
 public:
  explicit ModelComputeQueue(RunningMachine& machine) : machine_(machine), queue_(machine.device().queue()) {}

  ComputeEvent launch(const Kernel& kernel, const NdRange& range, std::span<const Argument> arguments,
                      ComputeEvents after) override {
    if (range.global[2] != 1) throw machine_.refused("work-items in three dimensions");
    const Launch launch{.kernel = kernel,
                        .arguments = {arguments.begin(), arguments.end()},
                        .columns = range.global[0],
                        .rows = range.global[1]};
    return given(host().launch(*queue_, launch, behind(after)));
  }
  void write(const Buffer& to, std::size_t offset, std::span<const std::byte> from) override {
    if (!from.empty()) given(host().write(*queue_, {to, offset}, from, Call::blocking, behind({})));
  }
  void read(const Buffer& from, std::size_t offset, std::span<std::byte> to) override {
    if (!to.empty()) given(host().read(*queue_, {from, offset}, to, Call::blocking, behind({})));
  }
  ComputeEvent start_write(const Buffer& to, std::size_t offset, std::span<const std::byte> from,
                           ComputeEvents after) override {
    return given(host().write(*queue_, {to, offset}, from, Call::nonblocking, behind(after)));
  }
  ComputeEvent start_read(const Buffer& from, std::size_t offset, std::span<std::byte> to,
                          ComputeEvents after) override {
    return given(host().read(*queue_, {from, offset}, to, Call::nonblocking, behind(after)));
  }
  ComputeEvent copy(const Buffer&, std::size_t, const Buffer&, std::size_t, std::size_t) override {
    throw machine_.refused("a copy within the device's memory");
  }
  ComputeEvent copy_box(const Buffer&, const BoxPlace&, const Buffer&, const BoxPlace&, const BoxSize&) override {
    throw machine_.refused("a copy within the device's memory");
  }
  PinnedBuffer map(const Buffer&) override { throw machine_.refused("a buffer mapped to the host"); }
  StartedMap start_map(const Buffer&) override { throw machine_.refused("a buffer mapped to the host"); }
  ComputeEvent fill(const Buffer&, std::span<const std::byte>) override {
    throw machine_.refused("a fill of the device's memory");
  }
  ComputeEvent after(ComputeEvents events) override {
    awaited_ = behind(events);
    std::vector<Event> all = awaited_;
    if (last_) all.push_back(last_);
    return ComputeEvent(std::make_shared<ModelCommand>(machine_, std::move(all)));
  }
  void flush() override {}
  void finish() override { host().finish(*queue_); }

 private:
  Host& host() const { return machine_.host(); }
  /// What the next command begins after: these, and those of `after` until a command has begun after them.
  std::vector<Event> behind(ComputeEvents after) {
    std::vector<Event> all = std::exchange(awaited_, {});
    const std::vector<Event> more = events_of(after);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ComputeEvent given(Event event) {
    last_ = event;
    return ComputeEvent(std::make_shared<ModelCommand>(machine_, std::vector{std::move(event)}));
  }

  RunningMachine& machine_;
  std::unique_ptr<Queue> queue_;
  Event last_;
  std::vector<Event> awaited_;
};

/// The kernels that the model was opened with.
class ModelProgram final : public ComputeProgram {
 public:
  explicit ModelProgram(RunningMachine& machine) : machine_(machine) {}
  Kernel kernel(const std::string& name) const override { return machine_.device().kernel(name); }
  bool has(const std::string& kernel) const override {
    try {
      machine_.device().kernel(kernel);
      return true;
    } catch (const Error&) {
      return false;
    }
  }
  std::vector<std::byte> binary() const override { throw machine_.refused("the binary of a program"); }

 private:
  RunningMachine& machine_;
};

class ModelComputeDevice final : public ComputeDevice {
 public:
  explicit ModelComputeDevice(std::unique_ptr<Device> device) : machine_(std::move(device)) {}

  const DeviceProperties& properties() const override { return machine_.device().properties(); }
  double now() const override { return machine_.clock().seconds(); }
  void run(const std::function<void()>& body) override { machine_.run(body); }
  Buffer buffer(std::size_t bytes) const override {
    return machine_.device().allocate(Bytes{static_cast<std::int64_t>(bytes)});
  }
  Buffer buffer(std::size_t bytes, const MemoryBank& bank) const override {
    if (bank.told != MemoryBank::Told::nothing) throw machine_.refused("a buffer in a bank by number");
    return buffer(bytes);
  }
  PinnedBuffer pinned(std::size_t bytes) const override {
    return machine_.device().pin(Bytes{static_cast<std::int64_t>(bytes)});
  }
  PinnedBuffer pin(std::span<std::byte>) const override {
    throw machine_.refused("memory of the host that is there already");
  }
  std::unique_ptr<ComputeQueue> queue() const override { return std::make_unique<ModelComputeQueue>(machine_); }
  std::unique_ptr<ComputeQueue> copy_queue() const override { return queue(); }
  std::unique_ptr<ComputeProgram> program(std::span<const ProgramSource>, const std::string&) const override {
    return std::make_unique<ModelProgram>(machine_);
  }
  std::unique_ptr<ComputeProgram> program_from_binary(const std::string&) const override {
    throw machine_.refused("the binary of a program");
  }

 private:
  mutable RunningMachine machine_;  ///< what is made on it moves its clock
};

}  // namespace
}  // namespace isthmus::offload::model

namespace isthmus::offload {

std::shared_ptr<ComputeDevice> compute_on(std::unique_ptr<Device> machine) {
  return std::make_shared<model::ModelComputeDevice>(std::move(machine));
}

}  // namespace isthmus::offload
