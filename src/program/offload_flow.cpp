// Copy in, kernel, copy out, one after the other, by one host thread.
#include <algorithm>

#include "isthmus/base/interrupt.hpp"
#include "program/commands.hpp"
#include "program/flows.hpp"
#include "program/kernel_on_device.hpp"

namespace isthmus::program {
namespace {

using offload::Device;
using offload::Event;
using offload::Host;

class OffloadFlow final : public DeviceFlow {
 public:
  OffloadFlow(Device& device, const ByteApplication& application)
      : device_(device), kernel_(device, application, 1), queue_(device.queue()) {}

  FlowTimes run(Exchange& messages, int first, int count) override {
    Commands commands;
    Time start;
    Time end;
    device_.run({{"host", [&](Host& host) {
                    start = host.now();
                    for (int message = first; message < first + count; ++message)
                      send(host, messages, message, commands);
                    end = host.now();
                  }}});
    FlowTimes times = times_of(commands, start, end);
    Time between = times.elapsed;
    for (const Stage& stage : times.stages) between = between - stage.time;
    times.stages.push_back({"between commands", std::max(between, Time())});
    return times;
  }

 private:
  void send(Host& host, Exchange& messages, int message, Commands& commands) {
    stop_if_interrupted();
    host.works_on(message);
    commands.enqueued.push_back(host.now());
    commands.in.push_back(kernel_.write(host, *queue_, message, messages.input(message)));
    commands.kernel.push_back(kernel_.launch(host, *queue_, message));
    commands.out.push_back(kernel_.read(host, *queue_, message, messages.output(message)));
    commands.ended.push_back(host.now());
    messages.finished(message);
  }

  Device& device_;
  KernelOnDevice kernel_;
  std::unique_ptr<offload::Queue> queue_;
};

}  // namespace

Flow offload_flow() {
  return {.name = "offload",
          .needs = kBetweenCopies,
          .between_copies = [](Device& device, const ByteApplication& application) -> std::unique_ptr<DeviceFlow> {
            return std::make_unique<OffloadFlow>(device, application);
          }};
}

}  // namespace isthmus::program
