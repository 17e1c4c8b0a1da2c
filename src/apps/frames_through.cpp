#include "apps/frames_through.hpp"

#include <cstring>

#include "apps/stencil_filter.hpp"
#include "isthmus/engine/graph.hpp"
#include "program/run_graph.hpp"

namespace isthmus::apps {
namespace {

/// Words that wait before the circuit, and behind it.
constexpr int kFifo = 64;

/// Which frames go through the circuit.
struct Rest {
  const FilterJob& job;
  int first;
  ImageExchange& images;
};

/// Configures the circuit, then hands it frame by frame.
class FrameWords {
 public:
  Out<StreamWord> out{"out"};
  Out<std::uint32_t> control{"control"};
  In<ControlMessage> status{"status"};

  explicit FrameWords(const Rest& rest) : rest_(rest), next_(rest.first) {}

  void step() {
    if (next_ == rest_.first) {
      for (const std::uint32_t message : stencil_messages(rest_.job.spec, rest_.job.frames.size()))
        control.push(message);
      status.read();
    }
    StreamWord word;
    for (auto left = rest_.images.input(next_); !left.empty(); left = left.subspan(kWordBytes)) {
      std::memcpy(word.data.bytes.data(), left.data(), kWordBytes);
      word.last = left.size() == kWordBytes;
      out.push(word);
    }
    ++next_;
  }
  bool done() const { return next_ == rest_.job.frames.count(); }

 private:
  const Rest& rest_;
  int next_;
};

/// Takes what comes out of it.
class FilteredWords {
 public:
  In<StreamWord> in{"in"};

  explicit FilteredWords(const Rest& rest) : rest_(rest), next_(rest.first) {}

  void step() {
    for (auto left = rest_.images.output(next_); !left.empty(); left = left.subspan(kWordBytes)) {
      const StreamWord word = in.read();
      std::memcpy(left.data(), word.data.bytes.data(), kWordBytes);
    }
    rest_.images.finished(next_++);
  }
  bool done() const { return next_ == rest_.job.frames.count(); }

 private:
  const Rest& rest_;
  int next_;
};

}  // namespace

void send_through_circuit(const FilterJob& job, int first, ImageExchange& images) {
  const Rest rest{.job = job, .first = first, .images = images};
  const Clock clock{Frequency::mhz(1)};
  Graph graph;
  auto& source = graph.add<FrameWords>("frames", {.clock = clock}, rest);
  auto& stencil = graph.add<StencilFilter>("stencil", {.clock = clock});
  auto& sink = graph.add<FilteredWords>("results", {.clock = clock}, rest);
  graph.connect(source.out, stencil.in, {.depth = kFifo});
  graph.connect(stencil.out, sink.in, {.depth = kFifo});
  graph.connect(source.control, stencil.control, {.depth = 64});
  graph.connect(stencil.status, source.status, {.depth = 16});
  program::run_graph(graph, {.schedule_seed = job.schedule_seed});
}

}  // namespace isthmus::apps
