#include "apps/native_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/stencil_filter.hpp"
#include "apps/stream_times.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/json.hpp"
#include "isthmus/stream/native.hpp"
#include "isthmus/stream/native_link.hpp"

namespace isthmus::apps {
namespace {

/// Frames of one graph: their outputs stay in the pool until they have been compared, which takes none of the measured
/// time.
constexpr int kBatch = 32;

struct Batch {
  const FilterJob& job;
  int first;
  int count;
};

/// Configures the circuit, then draws each frame into a buffer of the pool.
class Producer {
 public:
  HostInput link;
  HostControl control;

  Producer(PinnedMemory& memory, const Batch& batch) : link(memory, Time()), control(Time()), batch_(batch) {}

  void step() {
    if (next_ == 0) configure();
    Buffer buffer = link.acquire();
    acquired_.note(timer_.now());
    const auto frame = buffer.span().first(batch_.job.frames.size().bytes());
    batch_.job.frames.fill(batch_.first + next_++, frame);
    buffer.shrink(frame.size());
    link.commit(std::move(buffer));
    committed_.note(timer_.now());
  }
  bool done() const { return next_ == batch_.count; }

  /// The first acquire.
  Time started() const { return started_; }
  const Instants& acquired() const { return acquired_; }
  const Instants& committed() const { return committed_; }

 private:
  void configure() {
    for (const std::uint32_t message : stencil_messages(batch_.job.spec, batch_.job.frames.size()))
      control.send(message);
    control.receive(kStencilReady);
    started_ = timer_.now();
  }

  const Batch& batch_;
  int next_ = 0;
  Time started_;
  Instants acquired_;
  Instants committed_;
  Timer timer_;
};

/// Receives all outputs, then compares them where they are.
class Consumer {
 public:
  HostOutput link;

  Consumer(PinnedMemory& memory, const Batch& batch, Checker& checker)
      : link(memory, Time()), batch_(batch), checker_(checker) {}

  void step() {
    stop_if_interrupted();
    outputs_.push_back(link.receive());
    received_.note(timer_.now());
    if (++next_ < batch_.count) return;
    ended_ = timer_.now();
    compare();
    outputs_.clear();
  }
  bool done() const { return next_ == batch_.count; }

  /// The last output.
  Time ended() const { return ended_; }
  const Instants& received() const { return received_; }

 private:
  void compare() {
    std::vector<std::byte> in(batch_.job.frames.size().bytes());
    for (int i = 0; i < batch_.count; ++i) {
      stop_if_interrupted();
      batch_.job.frames.fill(batch_.first + i, in);
      checker_.check(batch_.first + i, in, outputs_[static_cast<std::size_t>(i)].span());
    }
  }

  const Batch& batch_;
  Checker& checker_;
  std::vector<Buffer> outputs_;
  Instants received_;
  int next_ = 0;
  Time ended_;
  Timer timer_;
};

constexpr ChannelOptions fifo(int depth) {
  return {.depth = depth, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)};
}

/// Buffers that hold a frame, so that a frame is drawn in one piece.
native::LinkSpec link_spec(const Batch& batch) {
  return {.buffer_size = Bytes{static_cast<std::int64_t>(batch.job.frames.size().bytes())},
          .input_buffers = 4,
          .output_buffers = batch.count + 1};
}

struct BatchTimes {
  Time setup;
  Time elapsed;
  std::vector<std::vector<Step>> images;
  std::vector<native::WorkerReport> workers;
};

BatchTimes run_batch(const Batch& batch, Checker& checker) {
  Graph graph;
  native::Link link(graph, link_spec(batch));
  auto& producer = graph.add<Producer>("producer", {}, link.memory(), batch);
  auto& stencil = graph.add<StencilFilter>("stencil");
  auto& consumer = graph.add<Consumer>("consumer", {}, link.memory(), batch, checker);
  link.connect(producer.link);
  link.connect(producer.control);
  link.connect(consumer.link);
  graph.connect(link.to_kernel(), stencil.in, fifo(256));
  graph.connect(stencil.out, link.from_kernel(), fifo(256));
  graph.connect(link.control_to_kernel(), stencil.control, fifo(64));
  graph.connect(stencil.status, link.control_from_kernel(), fifo(16));
  const auto report = native::run(graph, {.workers = batch.job.workers, .placement = batch.job.placement});
  return {.setup = producer.started(),
          .elapsed = consumer.ended() - producer.started(),
          .images = first_images(
              {producer.started(), producer.acquired(), producer.committed(), consumer.received().times()}),
          .workers = report.workers};
}

class NativeTarget final : public Target {
 public:
  std::string device_name() const override { return native::processor(); }
  bool modelled() const override { return false; }
  std::vector<std::string> flows() const override { return {"stream"}; }

  FilterRun run(const FilterJob& job) override {
    FilterRun run;
    Checker checker(job.spec, job.frames.size(), job.progress);
    for (int first = 0; first < job.frames.count(); first += kBatch) {
      const Batch batch{.job = job, .first = first, .count = std::min(kBatch, job.frames.count() - first)};
      auto times = in_batch(batch, checker);
      run.setup += times.setup;
      run.times.elapsed += times.elapsed;
      if (first == 0) run.times.images = std::move(times.images);
      run.times.stages = {{"producer, filter and consumer at once", run.times.elapsed}};
      workers_ = std::move(times.workers);
    }
    run.difference = checker.difference();
    return run;
  }

  void explain(nlohmann::ordered_json& row) const override { row["workers"] = platform::to_json(workers_); }

 private:
  /// A thread that Ctrl-C stops fails the run: what counts is why.
  static BatchTimes in_batch(const Batch& batch, Checker& checker) {
    try {
      return run_batch(batch, checker);
    } catch (const Error&) {
      stop_if_interrupted();
      throw;
    }
  }

  std::vector<native::WorkerReport> workers_;
};

}  // namespace

std::unique_ptr<Target> open_native_target(const std::vector<std::string>& settings) {
  if (!settings.empty())
    throw Error(fmt::format("--set {}: target 'native' is this machine, only models have settings", settings.front()));
  return std::make_unique<NativeTarget>();
}

}  // namespace isthmus::apps
