#include "program/device_flows.hpp"

#include <algorithm>
#include <utility>

#include "isthmus/base/interrupt.hpp"
#include "program/kernel_on_device.hpp"

namespace isthmus::program {
namespace {

using offload::Device;
using offload::Event;
using offload::Host;

/// The commands that a run enqueued, message by message.
struct Commands {
  using OfMessage = std::vector<Event>;
  std::vector<OfMessage> in;
  std::vector<Event> kernel;
  std::vector<OfMessage> out;
  std::vector<Time> enqueued{};  ///< when the host thread began with each message
  std::vector<Time> ended{};
};

constexpr const char* kIn = "host to device copy";
constexpr const char* kKernel = "kernel";
constexpr const char* kOut = "device to host copy";

Time total(const std::vector<Event>& events) {
  Time sum;
  for (const Event& event : events) sum += event->span().length();
  return sum;
}

Time total(const std::vector<Commands::OfMessage>& messages) {
  Time sum;
  for (const auto& events : messages) sum += total(events);
  return sum;
}

std::vector<std::vector<Step>> first_messages(const Commands& commands, Time start) {
  std::vector<std::vector<Step>> messages;
  for (std::size_t i = 0; i < std::min<std::size_t>(commands.out.size(), kMessagesTold); ++i) {
    auto& steps = messages.emplace_back();
    const auto add = [&](const char* name, const Event& event) {
      const offload::Span span = event->span();
      steps.push_back({.name = name, .begin = span.start - start, .end = span.end - start});
    };
    for (const Event& event : commands.in[i]) add(kIn, event);
    add(kKernel, commands.kernel[i]);
    for (const Event& event : commands.out[i]) add(kOut, event);
  }
  return messages;
}

FlowTimes times_of(const Commands& commands, Time start, Time end) {
  FlowTimes times{.elapsed = end - start,
                  .stages = {{kIn, total(commands.in)}, {kKernel, total(commands.kernel)}, {kOut, total(commands.out)}},
                  .first = first_messages(commands, start),
                  .latencies = {}};
  for (std::size_t i = 0; i < commands.ended.size(); ++i)
    times.latencies.push_back(commands.ended[i] - commands.enqueued[i]);
  return times;
}

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

class OverlapFlow final : public DeviceFlow {
 public:
  OverlapFlow(Device& device, const ByteApplication& application)
      : device_(device),
        kernel_(device, application, kAtOnce),
        writes_(device.queue()),
        kernels_(device.queue()),
        reads_(device.queue()) {}

  FlowTimes run(Exchange& messages, int first, int count) override {
    Passage passage{.messages = messages,
                    .first = first,
                    .count = count,
                    .launched = device_.mailbox(kAtOnce),
                    .fetched = device_.mailbox(kAtOnce)};
    device_.run({{"copy in", [&](Host& host) { copy_in(host, passage); }},
                 {"copy out", [&](Host& host) { copy_out(host, passage); }}});
    return times_of(passage.commands, passage.start, passage.commands.ended.back());
  }

 private:
  static constexpr int kAtOnce = 2;

  /// One run: mailboxes of its own, because one that failed may leave events behind.
  struct Passage {
    Exchange& messages;
    int first;
    int count;
    std::unique_ptr<offload::Mailbox> launched;  ///< kernels whose output is to be fetched
    std::unique_ptr<offload::Mailbox> fetched;   ///< copies out that set an output buffer free
    Commands commands{};
    Time start{};
  };

  void copy_in(Host& host, Passage& passage) {
    passage.start = host.now();
    auto& kernels = passage.commands.kernel;
    for (int message = passage.first; message < passage.first + passage.count; ++message) {
      stop_if_interrupted();
      host.works_on(message);
      passage.commands.enqueued.push_back(host.now());
      const bool reuses = message >= passage.first + kAtOnce;
      std::vector<Event> input_free;
      if (reuses) input_free.push_back(*(kernels.end() - kAtOnce));
      auto ready = kernel_.write(host, *writes_, message, passage.messages.input(message), std::move(input_free));
      passage.commands.in.push_back(ready);
      if (reuses) ready.push_back(host.take(*passage.fetched));
      kernels.push_back(kernel_.launch(host, *kernels_, message, std::move(ready)));
      host.put(*passage.launched, kernels.back());
    }
  }

  void copy_out(Host& host, Passage& passage) {
    for (int message = passage.first; message < passage.first + passage.count; ++message) {
      const Event kernel = host.take(*passage.launched);
      host.works_on(message);
      auto& copies = passage.commands.out;
      copies.push_back(kernel_.read(host, *reads_, message, passage.messages.output(message), {kernel}));
      passage.commands.ended.push_back(host.now());
      passage.messages.finished(message);
      if (message + kAtOnce < passage.first + passage.count) host.put(*passage.fetched, copies.back().back());
    }
  }

  Device& device_;
  KernelOnDevice kernel_;
  std::unique_ptr<offload::Queue> writes_;
  std::unique_ptr<offload::Queue> kernels_;
  std::unique_ptr<offload::Queue> reads_;
};

}  // namespace

std::unique_ptr<DeviceFlow> make_offload_flow(Device& device, const ByteApplication& application) {
  return std::make_unique<OffloadFlow>(device, application);
}

std::unique_ptr<DeviceFlow> make_overlap_flow(Device& device, const ByteApplication& application) {
  return std::make_unique<OverlapFlow>(device, application);
}

}  // namespace isthmus::program
