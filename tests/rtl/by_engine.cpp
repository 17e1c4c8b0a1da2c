#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>

#include "rtl/chain.hpp"

namespace isthmus::rtl {
namespace {

constexpr Time period = Time::ns(4);

std::int64_t cycle_of(Time time) {
  return time.femtoseconds() / period.femtoseconds();
}
Time edge(std::int64_t cycle) {
  return Time::fs(cycle * period.femtoseconds());
}

struct Source {
  Out<int> out;
  Timer timer;
  const Stimulus* stimulus;
  std::vector<Event>* offered;

  void step() {
    const std::size_t next = offered->size();
    timer.wait_until(edge(stimulus->earliest[next]));
    out.push(stimulus->terms[next]);
    offered->push_back({cycle_of(timer.now()), stimulus->terms[next]});
  }
  bool done() const { return offered->size() == stimulus->terms.size(); }
};

struct SuffixSum {
  In<int> in;
  Out<int> out;
  int sum = 0;

  void step() {
    int term = 0;
    if (in.pull(term)) {
      sum += term;
      out.push(sum);
    }
  }
  bool done() const { return sum >= stop; }
};

/// Counts its cycles only while it still stalls, so that it can sleep afterwards.
struct Sink {
  In<int> in;
  Timer timer;
  const std::vector<bool>* stalls;
  std::vector<Event>* taken;
  std::size_t cycle = 0;

  void step() {
    if (cycle < stalls->size() && (*stalls)[cycle++]) return;
    int sum = 0;
    if (in.pull(sum)) taken->push_back({cycle_of(timer.now()), sum});
  }
};

/// When the suffix sum pulled its terms and pushed its sums.
struct Observer final : engine::ChannelObserver {
  std::vector<std::int64_t> pulls;
  std::vector<std::int64_t> pushes;

  void pushed(int channel, Time at) override {
    if (channel == 1) pushes.push_back(cycle_of(at));
  }
  void popped(int channel, Time at) override {
    if (channel == 0) pulls.push_back(cycle_of(at));
  }
};

}  // namespace

Trace by_engine(const Stimulus& stimulus, std::size_t depth, Seen seen) {
  Trace trace;
  Observer observer;
  Graph graph;
  const ActorOptions clocked{.clock = Clock{Frequency::mhz(250)}};
  const ChannelOptions fifo{.depth = static_cast<int>(depth)};
  auto& source = graph.add<Source>("source", clocked);
  auto& sum = graph.add<SuffixSum>("sum", clocked);
  auto& sink = graph.add<Sink>("sink", clocked);
  source.stimulus = &stimulus;
  source.offered = &trace.offered;
  sink.stalls = &stimulus.sink_stalls;
  sink.taken = &trace.taken;
  graph.connect(source.out, sum.in, fifo);
  graph.connect(sum.out, sink.in, fifo);
  if (seen == Seen::everywhere) graph.observe(&observer);
  graph.run();
  for (const std::int64_t cycle : observer.pulls) trace.pulled.push_back({cycle, stimulus.terms[trace.pulled.size()]});
  for (const std::int64_t cycle : observer.pushes) {
    trace.pushed.push_back({cycle, trace.taken[trace.pushed.size()].value});
  }
  return trace;
}

}  // namespace isthmus::rtl
