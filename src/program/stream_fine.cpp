#include "program/stream_fine.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/needs.hpp"
#include "isthmus/platform/specs.hpp"
#include "isthmus/stream/host_link.hpp"
#include "program/board_host.hpp"
#include "program/board_memory.hpp"
#include "program/parts.hpp"
#include "program/run_graph.hpp"
#include "program/storage.hpp"

namespace isthmus::program {
namespace {

/// Host software of an application that sends no control messages.
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

/// The ends of the host's that a stream from storage leaves alone.
struct NoProducer {
  HostInput link;
  explicit NoProducer(PinnedMemory& memory) : link(memory, Time()) {}
  void step() {}
  bool done() const { return true; }
};
struct NoWords {
  In<StreamWord> in{"in"};
  void step() { in.read(); }
};

void leave_out_producer(Graph& graph, HostLink& link, PinnedMemory& memory, const HostLinkSpec& spec) {
  link.connect(graph.add<NoProducer>("no producer", {.group = kHostGroup}, memory).link);
  auto& words = graph.add<NoWords>("no words", {.clock = spec.device_clock, .group = kDeviceGroup});
  graph.connect(link.to_kernel(), words.in);
  leave_out_control(graph, link, spec);
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
/// is longer than 4 MiB take at 100 MHz and a thousand cycles a word.
struct Watchdog {
  static constexpr bool periodic = true;
  In<int> returned{"returned"};
  Timer timer;
  std::int64_t seconds;
  int messages = 0;

  explicit Watchdog(std::size_t message) : seconds(1 + static_cast<std::int64_t>(message >> 22U)) {}

  void step() {
    timer.wait(Time::ms(1000 * seconds));
    const int before = messages;
    while (returned.pull()) ++messages;
    if (messages == before)
      throw Error(
          fmt::format("message {} has not come back from the kernel for {} s of virtual time; `last` closes a message",
                      messages, seconds));
  }
};

void watch(Graph& graph, WatchedConsumer& consumer, const Batch& batch) {
  auto& dog =
      graph.add<Watchdog>("watchdog", {.group = kHostGroup}, batch.application.input + batch.application.output);
  graph.connect(consumer.returned, dog.returned,
                {.depth = batch.count + 1, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
}

platform::BoardSpec spec_with_faults(const platform::Description& board, const Faults& faults) {
  platform::BoardSpec spec = platform::board_spec(board);
  if (!faults.on_a_link()) return spec;
  for (platform::BoardLink& link : spec.links)
    link.pcie.faults = {.drop = faults.drop, .duplicate = faults.duplicate, .corrupt = faults.corrupt};
  return spec;
}

FaultTally tally_of(const fabric::PcieLink& link, std::int64_t stalled) {
  FaultTally tally{.stalled = stalled};
  for (const fabric::PcieLane* lane : {&link.to_device, &link.to_host}) {
    tally.dropped += lane->errors().dropped;
    tally.duplicated += lane->errors().duplicated;
    tally.replayed += lane->errors().replayed;
    tally.corrupted += lane->errors().corrupted;
  }
  return tally;
}

}  // namespace

KernelPlace place_on(const platform::Description& board) {
  const platform::Section* onchip = board.find("onchip");
  return {.clock = Clock{board.the("kernel").frequency("clock")},
          .onchip_latency = onchip != nullptr ? onchip->count("latency") : 0};
}

FineStream stream_finely(const platform::Description& board, const Job& job, int count, Outputs& outputs) {
  const HostLinkSpec spec = platform::host_link_spec(board);
  const Batch batch{.application = job.application, .first = 0, .count = count, .faults = job.faults};
  Graph graph(job.seed);
  const platform::BoardSpec parts = spec_with_faults(board, job.faults);
  fabric::DeviceMemory memory = platform::device_memory(parts);
  platform::Board fpga(graph, parts, memory);
  fabric::PcieLink& pcie = fpga.links().front();
  LinkUsers users(graph, pcie, spec.device_clock);
  HostLink link(graph, pcie, spec, users);
  const KernelPlace place = place_on(board);
  const Producer* producer = nullptr;
  std::optional<BoardStorage> storage;
  if (job.application.extras.from_storage) {
    storage.emplace(graph, platform::kinds::storage_spec(board.the("storage")), batch, place.clock);
    leave_out_producer(graph, link, pcie.memory, spec);
  } else {
    producer = &add_producer(graph, kProducer, link, pcie.memory, spec.library_call, spec.mmio_store, batch,
                             [&] { leave_out_control(graph, link, spec); });
  }
  auto& consumer = graph.add<WatchedConsumer>(kConsumer, {.group = kHostGroup}, pcie.memory, spec.library_call, batch,
                                              spec.buffer_size, outputs);
  link.connect(consumer.link);
  watch(graph, consumer, batch);
  KernelEnds ends = ends_of(link, job.application, storage ? &storage->words() : nullptr);
  ends.note = job.note;
  const StallingWords stalling(graph, place.clock, job.faults.stall, ends);
  std::optional<BoardMemoryEnds> device_memory;
  if (const auto& image = job.application.extras.memory)
    ends.memory = &device_memory.emplace(graph, fpga, platform::needed(parts.memory), memory, *image, place.clock);
  std::optional<BoardHostEnds> host_memory;
  if (const auto& image = job.application.extras.host)
    ends.host = &host_memory.emplace(graph, users, board, pcie, *image);
  Kernel kernel(graph, place, ends);
  job.application.kernel(kernel);
  users.connect();
  if (device_memory) fpga.connect_memory();
  const StreamActors stream{.pcie = pcie,
                            .link = link,
                            .producer = producer != nullptr ? std::optional(graph.id(*producer)) : std::nullopt,
                            .drive = storage ? std::optional(storage->drive()) : std::nullopt,
                            .consumer = graph.id(consumer),
                            .kernel = kernel.actors(),
                            .storage = storage ? storage->parts() : std::vector<platform::PartPlan>(),
                            .memory = device_memory ? device_memory->parts() : std::vector<platform::PartPlan>(),
                            .host = host_memory ? host_memory->parts() : std::vector<platform::PartPlan>()};
  const RunReport report =
      run_graph(graph, {.states = job.states, .output = stream.consumer, .schedule_seed = job.schedule_seed});
  consumer.require_all(kOutputEnded);
  if (host_memory) host_memory->finish();
  const Sent sent = storage ? storage->sent() : producer->sent();
  FineStream fine{.stream = {.run = {.setup = platform::pool_setup(board, spec) + sent.started,
                                     .times = times_of(std::array{Seen{sent, consumer.received()}})},
                             .parts = parts_of_stream(board, report, stream)},
                  .received = {}};
  fine.stream.run.times.stages = stages_of_stream(report, stream);
  fine.stream.run.times.lasted = report.end;
  const std::int64_t of_producer = producer != nullptr ? producer->stalled() : 0;
  if (job.faults.any()) fine.stream.run.faults = tally_of(pcie, of_producer + consumer.stalled() + stalling.stalled());
  for (const Time at : consumer.received()) fine.received.push_back(at - sent.started);
  return fine;
}

}  // namespace isthmus::program
