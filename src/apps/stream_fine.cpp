#include "apps/stream_fine.hpp"

#include <algorithm>
#include <utility>

#include "apps/stencil_filter.hpp"
#include "apps/stream_times.hpp"
#include "isthmus/engine/graph.hpp"
#include "isthmus/platform/board.hpp"
#include "isthmus/stream/host_link.hpp"
#include "program/parts.hpp"
#include "program/run_graph.hpp"

namespace isthmus::apps {
namespace {

/// The first frames of a job.
struct FirstFrames {
  const FilterJob& job;
  int count;
};

/// The producer thread: configures the circuit, then fills buffers frame by frame. What it draws costs no time, the
/// calls do.
class Producer {
 public:
  HostInput link;
  HostControl control;

  Producer(PinnedMemory& memory, const HostLinkSpec& spec, const FirstFrames& frames)
      : link(memory, spec.library_call),
        control(spec.mmio_store),
        job_(frames.job),
        count_(frames.count),
        frame_(job_.frames.size().bytes()) {}

  void step() {
    if (next_ == 0) configure();
    timer_.works_on(next_);
    job_.frames.fill(next_++, frame_);
    bool first = true;
    for (std::span<const std::byte> rest = frame_; !rest.empty();) {
      Buffer buffer = link.acquire();
      if (std::exchange(first, false)) acquired_.note(timer_.now());
      const auto bytes = std::min(rest.size(), buffer.span().size());
      buffer.shrink(bytes);
      std::ranges::copy(rest.first(bytes), buffer.span().begin());
      link.commit(std::move(buffer));
      rest = rest.subspan(bytes);
    }
    committed_.note(timer_.now());
  }
  bool done() const { return next_ == count_; }

  /// The first acquire.
  Time started() const { return started_; }
  const Instants& acquired() const { return acquired_; }
  const Instants& committed() const { return committed_; }

 private:
  void configure() {
    for (const std::uint32_t message : stencil_messages(job_.spec, job_.frames.size())) control.send(message);
    control.receive(kStencilReady);
    started_ = timer_.now();
  }

  const FilterJob& job_;
  int count_;
  std::vector<std::byte> frame_;
  int next_ = 0;
  Time started_;
  Instants acquired_;
  Instants committed_;
  Timer timer_;
};

/// The consumer thread: takes frames out of the output buffers.
class Consumer {
 public:
  HostOutput link;

  Consumer(PinnedMemory& memory, const HostLinkSpec& spec, int frames, ImageExchange& images)
      : link(memory, spec.library_call), frames_(frames), images_(images) {}

  void step() {
    Time now;
    for (std::span<std::byte> rest = images_.output(next()); !rest.empty();) {
      const Buffer buffer = link.receive();
      now = timer_.now();
      std::ranges::copy(buffer.span(), rest.begin());
      rest = rest.subspan(buffer.span().size());
    }
    images_.finished(next());
    received_.push_back(now);
  }
  bool done() const { return next() == frames_; }

  /// When the last bytes of each frame were there.
  const std::vector<Time>& received() const { return received_; }

 private:
  int next() const { return static_cast<int>(received_.size()); }

  int frames_;
  ImageExchange& images_;
  std::vector<Time> received_;
  Timer timer_;
};

/// Cycles from a word's entry to its result's register: on-chip memory, products, a tree of nine sums, shift,
/// saturation.
constexpr int kArithmeticCycles = 7;

/// Words that the FIFOs before and behind the circuit hold: one block RAM wide and deep enough.
constexpr int kFifo = 64;

std::vector<Stage> stages_of(const RunReport& report, const program::StreamActors& stream) {
  std::vector<Stage> stages;
  for (const program::Stage& stage : program::stages_of_stream(report, stream))
    stages.push_back({.name = stage.name, .time = stage.time});
  return stages;
}

FineStream outcome(const RunReport& report, const program::StreamActors& stream, const Producer& producer,
                   const Consumer& consumer) {
  FineStream fine;
  for (const Time at : consumer.received()) fine.received.push_back(at - producer.started());
  fine.stream.run.setup = producer.started();
  fine.stream.run.times = {
      .elapsed = fine.received.back(),
      .stages = stages_of(report, stream),
      .images = first_images({producer.started(), producer.acquired(), producer.committed(), consumer.received()}),
      .lasted = report.end};
  return fine;
}

}  // namespace

FineStream stream_finely(const platform::Description& board, const FilterJob& job, int frames, ImageExchange& images) {
  const HostLinkSpec spec = platform::host_link_spec(board);
  const FirstFrames first{.job = job, .count = frames};
  Graph graph;
  const platform::BoardSpec parts = platform::board_spec(board);
  fabric::DeviceMemory memory = platform::device_memory(parts);
  platform::Board fpga(graph, parts, memory);
  fabric::PcieLink& pcie = fpga.links().front();
  HostLink link(graph, pcie, spec);
  auto& producer = graph.add<Producer>(program::kProducer, {.group = kHostGroup}, pcie.memory, spec, first);
  auto& consumer = graph.add<Consumer>(program::kConsumer, {.group = kHostGroup}, pcie.memory, spec, frames, images);
  const Clock clock{board.the("kernel").frequency("clock")};
  auto& stencil = graph.add<StencilFilter>("stencil", {.clock = clock, .group = kDeviceGroup});
  link.connect(producer.link);
  link.connect(producer.control);
  link.connect(consumer.link);
  const int depth = static_cast<int>(board.the("onchip").count("latency")) + kArithmeticCycles;
  graph.connect(link.to_kernel(), stencil.in, {.depth = kFifo});
  graph.connect(stencil.out, link.from_kernel(), {.depth = kFifo, .latency = depth});
  graph.connect(link.control_to_kernel(), stencil.control, {.depth = 64});
  graph.connect(stencil.status, link.control_from_kernel(), {.depth = 16});
  const program::StreamActors stream{.pcie = pcie,
                                     .link = link,
                                     .producer = graph.id(producer),
                                     .consumer = graph.id(consumer),
                                     .kernel = {graph.id(stencil)}};
  const RunReport report =
      program::run_graph(graph, {.states = job.states, .output = stream.consumer, .schedule_seed = job.schedule_seed});
  FineStream fine = outcome(report, stream, producer, consumer);
  fine.stream.run.setup += platform::pool_setup(board, spec);
  fine.stream.parts = program::parts_of_stream(board, report, stream);
  return fine;
}

}  // namespace isthmus::apps
