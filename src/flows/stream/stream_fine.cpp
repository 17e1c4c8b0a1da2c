#include "flows/stream/stream_fine.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "application/unclocked.hpp"
#include "flows/stream/board_devices.hpp"
#include "flows/stream/configurer.hpp"
#include "flows/stream/parts.hpp"
#include "flows/stream/run_graph.hpp"
#include "flows/stream/storage.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/specs.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {
namespace {

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
  graph.connect(consumer.returned, dog.returned, unclocked(batch.count + 1));
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
  BoardDevices devices(graph, board, spec_with_faults(board, job.faults));
  fabric::PcieLink& pcie = devices.pcie();
  HostLink& link = devices.add_host_link();
  const KernelPlace place = place_on(board);
  const Producer* producer = nullptr;
  std::optional<BoardStorage> storage;
  if (job.application.extras.from_storage) {
    storage.emplace(graph, platform::kinds::storage_spec(board.the("storage")), batch, place.clock);
    link.leave_out_input();
    if (has_control(job.application))
      add_configurer(graph, link, job.application, spec.mmio_store, storage->configurers());
    else
      link.leave_out_control();
  } else {
    producer = &add_producer(graph, kProducer, link, pcie.memory, spec.library_call, spec.mmio_store, batch,
                             [&] { link.leave_out_control(); });
  }
  auto& consumer = graph.add<WatchedConsumer>(kConsumer, {.group = kHostGroup}, pcie.memory, spec.library_call, batch,
                                              spec.buffer_size, outputs);
  link.connect(consumer.link);
  watch(graph, consumer, batch);
  KernelEnds ends = ends_of(link, job.application, storage ? &storage->words() : nullptr);
  ends.note = job.note;
  const StallingWords stalling(graph, place.clock, job.faults.stall, ends);
  devices.offer(job.application.extras, place.clock, ends);
  Kernel kernel(graph, place, ends);
  job.application.kernel(kernel);
  devices.connect();
  const StreamActors stream{.pcie = pcie,
                            .link = link,
                            .producer = producer != nullptr ? std::optional(graph.id(*producer)) : std::nullopt,
                            .drive = storage ? std::optional(storage->drive()) : std::nullopt,
                            .consumer = graph.id(consumer),
                            .kernel = kernel.actors(),
                            .storage = storage ? storage->parts() : std::vector<platform::PartPlan>(),
                            .memory = devices.memory_parts(),
                            .host = devices.host_parts()};
  const RunReport report =
      run_graph(graph, {.states = job.states, .output = stream.consumer, .schedule_seed = job.schedule_seed});
  consumer.require_all(kOutputEnded);
  devices.finish();
  const Sent sent = storage ? storage->sent() : producer->sent();
  FineStream fine{.stream = {.run = {.setup = platform::pool_setup(board, spec) + sent.started,
                                     .times = times_of(std::array{Seen{sent, consumer.received()}})},
                             .parts = parts_of_stream(board, report, stream)}};
  fine.stream.run.times.stages = stages_of_stream(report, stream);
  fine.stream.run.times.lasted = report.end;
  const std::int64_t of_producer = producer != nullptr ? producer->stalled() : 0;
  if (job.faults.any()) fine.stream.run.faults = tally_of(pcie, of_producer + consumer.stalled() + stalling.stalled());
  for (const Time at : consumer.received()) fine.received.push_back(at - sent.started);
  return fine;
}

}  // namespace isthmus::program
