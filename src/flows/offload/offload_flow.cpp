// Copy in, kernel, copy out, one after the other, by one host thread or by several that share the device.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flows/offload/between_copies.hpp"
#include "flows/offload/commands.hpp"
#include "flows/offload/kernel_on_device.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

using offload::Device;
using offload::Queue;

class OffloadFlow final : public DeviceFlow {
 public:
  OffloadFlow(Device& device, const ByteApplication& application)
      : device_(device),
        kernel_(device, application, threads_of(application), threads_of(application)),
        host_work_(application.extras.host_work) {
    for (std::size_t thread = 0; thread < threads_of(application); ++thread) queues_.push_back(device.queue());
  }

  FlowTimes run(Exchange& messages, int first, int count) override {
    Passage passage{.messages = messages, .first = first, .count = count, .commands = Commands(count)};
    std::vector<offload::HostThread> threads;
    threads.reserve(queues_.size());
    for (std::size_t thread = 0; thread < queues_.size(); ++thread)
      threads.push_back({.name = queues_.size() == 1 ? "host" : fmt::format("host {}", thread),
                         .body = [this, thread, &passage] { send_own(thread, passage); }});
    device_.align_clocks();
    device_.run(std::move(threads));
    FlowTimes times = times_of(passage.commands);
    const Time waiting = waited(passage.commands);
    if (waiting > Time()) times.stages.push_back({"waiting for messages", waiting});
    times.stages.push_back(
        {"between commands", std::max(times.elapsed - under_way(passage.commands) - waiting, Time())});
    return times;
  }

 private:
  struct Passage {
    Exchange& messages;
    int first;
    int count;
    Commands commands;  ///< of which each thread touches those of its messages
  };

  static std::size_t threads_of(const ByteApplication& application) {
    return static_cast<std::size_t>(application.extras.host_threads);
  }

  /// A thread's messages: those whose buffers it has.
  void send_own(std::size_t thread, Passage& passage) {
    for (int message = passage.first; message < passage.first + passage.count; ++message)
      if (static_cast<std::size_t>(message) % queues_.size() == thread) send(message, passage);
  }

  void send(int message, Passage& passage) {
    stop_if_interrupted();
    device_.works_on(message);
    const auto at = static_cast<std::size_t>(message - passage.first);
    Queue& queue = *queues_[static_cast<std::size_t>(message) % queues_.size()];
    Commands& commands = passage.commands;
    commands.enqueued[at] = device_.now();
    passage.messages.begin(message);
    commands.there[at] = device_.now();
    device_.work(host_work_);
    commands.in[at] = kernel_.write(queue, message, passage.messages.input(message));
    commands.kernel[at] = kernel_.launch(queue, message);
    commands.out[at] = kernel_.read(queue, message, passage.messages.output(message));
    commands.ended[at] = device_.now();
    passage.messages.end(message);
  }

  Device& device_;
  KernelOnDevice kernel_;
  Time host_work_;                              ///< time that the host computes for a message
  std::vector<std::unique_ptr<Queue>> queues_;  ///< queue of each host thread
};

}  // namespace

Flow offload_flow() {
  return {.name = "offload",
          .between_copies = [](Device& device, const ByteApplication& application) -> std::unique_ptr<DeviceFlow> {
            return std::make_unique<OffloadFlow>(device, application);
          },
          .words = {.needs = kBetweenCopies},
          .host_network = true,
          .storage = true};
}

}  // namespace isthmus::program
