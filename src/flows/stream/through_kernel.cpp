#include "flows/stream/through_kernel.hpp"

#include <cstring>

#include "flows/stream/configurer.hpp"
#include "flows/stream/run_graph.hpp"
#include "isthmus/engine/graph.hpp"

namespace isthmus::program {
namespace {

/// The messages that go through the kernel.
struct Rest {
  const Job& job;
  int first;
  Exchange& messages;
};

/// Hands it the words of message by message.
class WordsIn {
 public:
  Out<StreamWord> out{"out"};

  explicit WordsIn(const Rest& rest) : rest_(rest), next_(rest.first) {}

  void step() {
    StreamWord word;
    for (auto left = rest_.messages.input(next_); !left.empty(); left = left.subspan(kWordBytes)) {
      std::memcpy(word.data.bytes.data(), left.data(), kWordBytes);
      word.last = left.size() == kWordBytes;
      out.push(word);
    }
    ++next_;
  }
  bool done() const { return next_ == rest_.job.count; }

 protected:
  bool begins() const { return next_ == rest_.first; }
  const Control& sent() const { return rest_.job.application.extras.control; }

 private:
  const Rest& rest_;
  int next_;
};

/// Configures it before.
class ConfiguringWordsIn : public WordsIn {
 public:
  Out<std::uint32_t> control{"control"};
  In<ControlMessage> status{"status"};

  using WordsIn::WordsIn;

  void step() {
    if (begins()) {
      for (const std::uint32_t message : sent().messages) control.push(message);
      if (const auto ready = sent().ready)
        while (status.read().tag != *ready) {
        }
    }
    WordsIn::step();
  }
};

/// Takes what comes out of it.
class WordsOut {
 public:
  In<StreamWord> in{"in"};

  explicit WordsOut(const Rest& rest) : rest_(rest), next_(rest.first) {}

  void step() {
    for (auto left = rest_.messages.output(next_); !left.empty(); left = left.subspan(kWordBytes)) {
      const StreamWord word = in.read();
      std::memcpy(left.data(), word.data.bytes.data(), kWordBytes);
    }
    rest_.messages.finished(next_++);
  }
  bool done() const { return next_ == rest_.job.count; }

 private:
  const Rest& rest_;
  int next_;
};

}  // namespace

void send_through_kernel(const Job& job, int first, Exchange& messages) {
  const Rest rest{.job = job, .first = first, .messages = messages};
  const Clock clock{Frequency::mhz(1)};
  Graph graph;
  auto& sink = graph.add<WordsOut>("results", {.clock = clock}, rest);
  const auto place = [&](const KernelEnds& ends) {
    Kernel kernel(graph, {.clock = clock}, ends);
    job.application.kernel(kernel);
  };
  if (!has_control(job.application)) {
    place({.words = &graph.add<WordsIn>("messages", {.clock = clock}, rest).out, .results = &sink.in});
  } else {
    auto& source = graph.add<ConfiguringWordsIn>("messages", {.clock = clock}, rest);
    place({.words = &source.out, .results = &sink.in, .control = &source.control, .status = &source.status});
  }
  run_graph(graph, {.schedule_seed = job.schedule_seed});
}

}  // namespace isthmus::program
