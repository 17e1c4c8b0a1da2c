#include "flows/threads/native.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "flows/stream/configurer.hpp"
#include "flows/stream/host.hpp"
#include "flows/stream/storage.hpp"
#include "flows/threads/compute_units.hpp"
#include "flows/threads/native_memory.hpp"
#include "flows/threads/run_threads.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/native/link.hpp"

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

/// The messages that one of so many copies of the kernel may take: half as many again as an even share, for which there
/// are buffers.
int most_of(const Batch& batch, int units) {
  const int even = (batch.count + units - 1) / units;
  return std::min(batch.count, even + (even + 1) / 2);
}

std::size_t largest(const ByteApplication& application) {
  return std::max(application.input, application.output);
}

/// One word more than a message: an output that is too long is seen, not split.
Bytes buffer_size(const ByteApplication& application) {
  return Bytes{static_cast<std::int64_t>(largest(application) + kWordBytes)};
}

native::LinkSpec link_spec(const ByteApplication& application, int outputs) {
  return {.buffer_size = buffer_size(application),
          .input_buffers = static_cast<int>(std::clamp<std::size_t>(kInputBytes / largest(application), 4, 8)),
          .output_buffers = outputs + 1};
}

/// A copy of the kernel in a graph, with a link and host threads of its own.
class MessageUnit {
 public:
  /// `next` counts the messages that have been taken.
  MessageUnit(Graph& graph, const Batch& batch, std::atomic<int>& next, const ComputeUnit& unit,
              NativeMemories& memories)
      : share_(next, batch.count, most_of(batch, unit.of)),
        batch_(batch),
        link_(graph, link_spec(batch.application, share_.most())) {
    batch_.share = &share_;
    if (batch.application.extras.from_storage) {
      storage_ = &graph.add<NativeStorage>("storage reader", {}, batch_);
      add_configurer(graph, link_, batch.application, Time(), storage_->configurers);
    } else {
      producer_ = &add_producer(graph, "producer", link_, link_.memory(), Time(), Time(), batch_, [] {});
    }
    consumer_ =
        &graph.add<Consumer>("consumer", {}, link_.memory(), Time(), batch_, buffer_size(batch.application), kept_);
    link_.connect(consumer_->link);
    add_kernel(graph, unit, memories);
  }

  const Consumer& consumer() const { return *consumer_; }
  Seen seen() const {
    return {.sent = storage_ != nullptr ? storage_->sent() : producer_->sent(),
            .received = consumer_->received(),
            .numbers = share_.numbers()};
  }
  const std::vector<Buffer>& outputs() const { return kept_.outputs(); }
  std::int64_t stalled() const {
    return consumer_->stalled() + stalling_->stalled() + (producer_ != nullptr ? producer_->stalled() : 0);
  }

 private:
  void add_kernel(Graph& graph, const ComputeUnit& unit, NativeMemories& memories) {
    const Clock clock = clock_on_threads();
    KernelEnds ends = ends_of(link_, batch_.application, storage_ != nullptr ? &storage_->out : nullptr);
    stalling_ = std::make_unique<StallingWords>(graph, clock, batch_.faults.stall, ends);
    NativeDevices devices(graph, memories);
    devices.offer(ends);
    Kernel kernel(graph, {.clock = clock, .fifo = kWords, .unit = unit}, ends);
    batch_.application.kernel(kernel);
  }

  Share share_;
  Batch batch_;
  native::Link link_;
  Kept kept_;
  const Producer* producer_ = nullptr;
  NativeStorage* storage_ = nullptr;
  Consumer* consumer_ = nullptr;
  std::unique_ptr<StallingWords> stalling_;
};

/// The outputs of a batch in the order of its messages.
std::vector<std::span<const std::byte>> outputs_of(const Batch& batch, const std::deque<MessageUnit>& units) {
  std::vector<std::span<const std::byte>> outputs(static_cast<std::size_t>(batch.count));
  for (const MessageUnit& unit : units) {
    auto output = unit.outputs().begin();
    for (const int number : unit.seen().numbers) outputs[static_cast<std::size_t>(number)] = (output++)->span();
  }
  return outputs;
}

void compare(const Batch& batch, const std::deque<MessageUnit>& units, Checker& checker) {
  std::vector<std::byte> input(batch.application.input);
  int message = batch.first;
  for (const auto& output : outputs_of(batch, units)) {
    stop_if_interrupted();
    batch.application.fill(message, input);
    checker.check(message++, input, output);
  }
}

void run_batch(const Batch& batch, Checker& checker, const Job& job, NativeMemories& memories, ThreadsRun& result) {
  Graph graph(job.seed + static_cast<std::uint64_t>(batch.first));
  std::atomic<int> next = 0;
  std::deque<MessageUnit> units;
  const int of = std::min(result.units, batch.count);
  for (ComputeUnit unit{.of = of}; unit.number < of; ++unit.number) {
    const Scope scope = graph.scope(scope_of(unit));
    units.emplace_back(graph, batch, next, unit, memories);
  }
  native::Report report = run_threads(graph, job, of);
  std::vector<Seen> seen;
  for (const MessageUnit& unit : units) {
    unit.consumer().require_all(why_missing(report));
    if (!unit.outputs().empty()) seen.push_back(unit.seen());
    if (result.run.faults) result.run.faults->stalled += unit.stalled();
  }
  result.workers = std::move(report.workers);
  result.run.setup += started(seen);
  add(result.run.times, times_of(seen));
  compare(batch, units, checker);
}

}  // namespace

ThreadsRun run_native(const Job& job) {
  check_words(job.application);
  Checker checker(job.application, job.progress);
  ThreadsRun result{.units = units_of(job, job.count)};
  FlowTimes& times = result.run.times;
  NativeMemories memories(job.application.extras);
  if (job.faults.any()) result.run.faults.emplace();
  const int most = batch_size(job.application);
  for (int first = 0; first < job.count; first += most)
    run_batch({.application = job.application,
               .first = first,
               .count = std::min(most, job.count - first),
               .faults = job.faults},
              checker, job, memories, result);
  memories.finish();
  times.stages = {{job.application.extras.from_storage ? "storage, kernel and consumer at once"
                                                       : "producer, kernel and consumer at once",
                   times.elapsed}};
  result.run.difference = checker.difference();
  return result;
}

}  // namespace isthmus::program
