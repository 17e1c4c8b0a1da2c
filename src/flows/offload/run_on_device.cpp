#include "flows/offload/run_on_device.hpp"

#include <algorithm>
#include <utility>

#include "application/messages_beside.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// Host memory for some messages and their outputs, used in turn. Messages of a drive are read by the host thread that
/// has their turn; others are there before a batch begins.
class Slots final : public Exchange {
 public:
  Slots(const ByteApplication& application, Checker& checker, int count)
      : application_(application), checker_(checker), in_(static_cast<std::size_t>(count)), out_(in_.size()) {
    for (auto& message : in_) message.resize(application.input);
    for (auto& message : out_) message.resize(application.output);
  }

  void prepare(int message) {
    if (!application_.extras.from_storage) application_.fill(message, in_[slot(message)]);
  }
  void check(int message) {
    stop_if_interrupted();
    checker_.check(message, in_[slot(message)], out_[slot(message)]);
  }

  std::span<const std::byte> input(int message) override { return in_[slot(message)]; }
  std::span<std::byte> output(int message) override { return out_[slot(message)]; }
  void finished(int) override {}
  void begin(int message) override {
    if (application_.extras.from_storage) application_.fill(message, in_[slot(message)]);
  }

 private:
  std::size_t slot(int message) const { return static_cast<std::size_t>(message) % in_.size(); }

  const ByteApplication& application_;
  Checker& checker_;
  std::vector<std::vector<std::byte>> in_;
  std::vector<std::vector<std::byte>> out_;
};

/// The host memory that the messages of a batch and their outputs may take.
constexpr std::size_t kHostBytes = std::size_t{1} << 30;

FlowTimes run_in_batches(DeviceFlow& flow, const Job& job, Checker& checker) {
  const auto each = std::max<std::size_t>(1, job.application.input + job.application.output);
  const auto most = static_cast<int>(std::clamp<std::size_t>(kHostBytes / each, 1, 1 << 20));
  const int batches = (job.count + most - 1) / most;
  const int size = (job.count + batches - 1) / batches;
  Slots slots(job.application, checker, size);
  FlowTimes times;
  for (int first = 0; first < job.count; first += size) {
    const int count = std::min(size, job.count - first);
    for (int message = first; message < first + count; ++message) slots.prepare(message);
    add(times, flow.run(slots, first, count));
    for (int message = first; message < first + count; ++message) slots.check(message);
  }
  return times;
}

}  // namespace

ReadyFlow set_up(offload::Device& device, const Flow& flow, const Job& job) {
  const Moment before = device.now();
  auto ready = flow.between_copies(device, job.application);
  return {.flow = std::move(ready), .setup = device.properties().opening + (device.now() - before)};
}

Run run_on_device(offload::Device& device, const Flow& flow, const Job& job) {
  const auto [ready, setup] = set_up(device, flow, job);
  Run run{.setup = setup};
  Checker checker(job.application, job.progress);
  if (device.properties().modelled) {
    MessagesBeside messages(job.application, checker);
    run.times = ready->run(messages, 0, job.count);
    messages.compare_rest();
  } else {
    run.times = run_in_batches(*ready, job, checker);
  }
  run.difference = checker.difference();
  return run;
}

}  // namespace isthmus::program
