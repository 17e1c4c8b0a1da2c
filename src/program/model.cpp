#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/stream/host_link.hpp"
#include "program/host.hpp"
#include "program/parts.hpp"
#include "program/run_graph.hpp"

namespace isthmus::program {
namespace {

/// Host software of an application that sends none.
struct NoMessages {
  HostControl control{Time()};
  void step() {}
  bool done() const { return true; }
};

void leave_out_control(Graph& graph, HostLink& link, const HostLinkSpec& spec) {
  auto& device = graph.add<NoControl>("no control", {.clock = spec.device_clock, .group = kDeviceGroup});
  graph.connect(link.control_to_kernel(), device.in);
  graph.connect(device.out, link.control_from_kernel());
  link.connect(graph.add<NoMessages>("no messages", {.group = kHostGroup}).control);
}

/// Tells the watchdog of each message that has come back.
struct WatchedConsumer : Consumer {
  using Consumer::Consumer;
  Out<int> returned{"returned"};
  void step() {
    Consumer::step();
    returned.push(1);
  }
};

/// Ends a run in which nothing comes back any more: the host's porter would ask for ever. A second of the model's time
/// is longer than any message takes: 4 MiB at 100 MHz and a thousand cycles a word.
struct Watchdog {
  static constexpr bool periodic = true;
  In<int> returned{"returned"};
  Timer timer;
  int messages = 0;
  void step() {
    timer.wait(Time::ms(1000));
    const int before = messages;
    while (returned.pull()) ++messages;
    if (messages == before)
      throw Error(fmt::format(
          "message {} has not come back from the kernel for 1 s of virtual time; `last` closes a message", messages));
  }
};

void watch(Graph& graph, WatchedConsumer& consumer, int messages) {
  auto& dog = graph.add<Watchdog>("watchdog", {.group = kHostGroup});
  graph.connect(consumer.returned, dog.returned,
                {.depth = messages + 1, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
}

void check_size(const char* what, std::size_t bytes, const HostLinkSpec& spec) {
  if (static_cast<std::int64_t>(bytes) > spec.buffer_size.count)
    throw Error(fmt::format("{} of {} bytes a message: expected at most the model's stream.buffer_size, {} bytes", what,
                            bytes, spec.buffer_size.count));
}

}  // namespace

Result run_on_model(const ByteApplication& application, const platform::Description& platform, const Job& job) {
  check(application);
  platform::require(platform, "a stream", platform::kStreamNeeds);
  const platform::Description board = platform.over(job.channel);
  const HostLinkSpec spec = platform::host_link_spec(board);
  check_size("input", application.input, spec);
  check_size("output", application.output, spec);
  const Batch batch{.application = application, .first = 0, .count = job.messages};
  Checker checker(application, job.progress);
  Graph graph;
  const platform::BoardSpec parts = platform::board_spec(board);
  fabric::DeviceMemory memory = platform::device_memory(parts);
  platform::Board fpga(graph, parts, memory);
  fabric::PcieLink& pcie = fpga.links().front();
  HostLink link(graph, pcie, spec);
  auto& producer = graph.add<Producer>(kProducer, {.group = kHostGroup}, pcie.memory, spec.library_call, batch);
  auto& consumer = graph.add<WatchedConsumer>(kConsumer, {.group = kHostGroup}, pcie.memory, spec.library_call, batch,
                                              checker, false);
  link.connect(producer.link);
  link.connect(consumer.link);
  watch(graph, consumer, job.messages);
  leave_out_control(graph, link, spec);
  Kernel kernel(graph, Clock{board.the("kernel").frequency("clock")}, link.to_kernel(), link.from_kernel());
  application.kernel(kernel);
  const StreamActors stream{.pcie = pcie,
                            .link = link,
                            .producer = graph.id(producer),
                            .consumer = graph.id(consumer),
                            .kernel = kernel.actors()};
  const RunReport report =
      run_graph(graph, {.states = job.states, .output = stream.consumer, .schedule_seed = job.schedule_seed});
  consumer.require_all(kOutputEnded);
  return {.setup = platform::pool_setup(board, spec) + producer.started(),
          .elapsed = consumer.ended() - producer.started(),
          .stages = stages_of_stream(report, stream),
          .difference = checker.difference(),
          .parts = parts_of_stream(board, report, stream),
          .lasted = report.end,
          .workers = {}};
}

}  // namespace isthmus::program
