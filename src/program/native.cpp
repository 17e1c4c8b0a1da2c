#include "program/native.hpp"

#include <algorithm>
#include <optional>

#include "isthmus/native/link.hpp"
#include "program/host.hpp"
#include "program/native_memory.hpp"
#include "program/native_packets.hpp"
#include "program/run_threads.hpp"
#include "program/storage.hpp"

namespace isthmus::program {
namespace {

/// What the outputs of a batch, which wait until they are compared, may take of the memory, and how many they may be.
constexpr std::size_t kBatchBytes = std::size_t{256} << 20U;
constexpr std::size_t kBatchMessages = 1024;
/// The same of inputs on their way: a few where they are large, so that the pool stays near the cores.
constexpr std::size_t kInputBytes = std::size_t{32} << 20U;
/// Words before the kernel and behind it.
constexpr int kWords = 256;

int batch_size(const ByteApplication& application) {
  return static_cast<int>(std::clamp<std::size_t>(kBatchBytes / application.output, 1, kBatchMessages));
}

/// One word more than a message: an output that is too long is seen, not split.
native::LinkSpec link_spec(const Batch& batch) {
  const std::size_t most = std::max(batch.application.input, batch.application.output);
  return {.buffer_size = Bytes{static_cast<std::int64_t>(most + kWordBytes)},
          .input_buffers = static_cast<int>(std::clamp<std::size_t>(kInputBytes / most, 4, 8)),
          .output_buffers = batch.count + 1};
}

/// What a kernel reaches beside its messages, of applications that keep something there.
struct Memories {
  std::optional<NativeMemory> device{};
  std::optional<NativeMemory> host{};
};

void run_batch(const Batch& batch, Checker& checker, const Job& job, Memories& memories, NativeRun& result) {
  Graph graph(job.seed + static_cast<std::uint64_t>(batch.first));
  const native::LinkSpec spec = link_spec(batch);
  native::Link link(graph, spec);
  Kept outputs(batch, checker);
  const Producer* producer = nullptr;
  NativeStorage* storage = nullptr;
  if (batch.application.extras.from_storage)
    storage = &graph.add<NativeStorage>("storage reader", {}, batch);
  else
    producer = &add_producer(graph, "producer", link, link.memory(), Time(), Time(), batch, [] {});
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory(), Time(), batch, spec.buffer_size, outputs);
  link.connect(consumer.link);
  KernelEnds ends = ends_of(link, batch.application, storage != nullptr ? &storage->out : nullptr);
  const Clock clock{Frequency::mhz(1)};  // which means nothing on threads
  const StallingWords stalling(graph, clock, job.faults.stall, ends);
  std::optional<NativeMemoryEnds> device_memory;
  if (memories.device) ends.memory = &device_memory.emplace(graph, *memories.device);
  std::optional<NativeHostEnds> host_memory;
  if (memories.host) ends.host = &host_memory.emplace(graph, *memories.host);
  Kernel kernel(graph, {.clock = clock, .fifo = kWords}, ends);
  batch.application.kernel(kernel);
  native::Report report = run_threads(graph, job);
  consumer.require_all(why_missing(report));
  result.workers = std::move(report.workers);
  const Sent sent = storage != nullptr ? storage->sent() : producer->sent();
  result.run.setup += sent.started;
  add(result.run.times, times_of(sent, consumer));
  if (!result.run.faults) return;
  result.run.faults->stalled += consumer.stalled() + stalling.stalled();
  if (producer != nullptr) result.run.faults->stalled += producer->stalled();
}

}  // namespace

NativeRun run_native(const Job& job) {
  if (job.application.extras.packets) return run_packets(job);
  check_words(job.application);
  Checker checker(job.application, job.progress);
  NativeRun result;
  FlowTimes& times = result.run.times;
  Memories memories;
  const Extras& extras = job.application.extras;
  if (extras.memory) memories.device.emplace(*extras.memory);
  if (extras.host) memories.host.emplace(extras.host->memory);
  if (job.faults.any()) result.run.faults.emplace();
  const int most = batch_size(job.application);
  for (int first = 0; first < job.count; first += most)
    run_batch({.application = job.application,
               .first = first,
               .count = std::min(most, job.count - first),
               .faults = job.faults},
              checker, job, memories, result);
  if (extras.host && memories.host && extras.host->left) extras.host->left(memories.host->bytes());
  times.stages = {
      {extras.from_storage ? "storage, kernel and consumer at once" : "producer, kernel and consumer at once",
       times.elapsed}};
  result.run.difference = checker.difference();
  return result;
}

}  // namespace isthmus::program
