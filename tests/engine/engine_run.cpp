#include "engine/engine_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <isthmus/base/error.hpp>
#include <numeric>
#include <random>

namespace isthmus::reference {
namespace {

/// Times of pushes and pops, by the engine's number of the channel.
struct Observer final : engine::ChannelObserver {
  explicit Observer(std::size_t channels) : pushes(channels), pops(channels) {}
  void pushed(int channel, Time at) override { pushes[static_cast<std::size_t>(channel)].push_back(at.femtoseconds()); }
  void popped(int channel, Time at) override { pops[static_cast<std::size_t>(channel)].push_back(at.femtoseconds()); }
  std::vector<std::vector<std::int64_t>> pushes, pops;
};

std::vector<std::size_t> order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  if (seed != 0) std::shuffle(indices.begin(), indices.end(), random);
  return indices;
}

/// A scenario on the engine, from building it to its outcome.
class EngineRun {
 public:
  EngineRun(const Scenario& scenario, const EngineOptions& options)
      : scenario_(scenario),
        graph_(scenario.run_seed),
        observer_(scenario.channels.size()),
        plans_(scenario.actors.size()),
        placed_(scenario.actors.size()),
        connected_(order(scenario.channels.size(), options.declaration_seed)) {
    for (const auto a : order(scenario.actors.size(), options.declaration_seed)) add(a);
    for (const auto c : connected_) connect(scenario.channels[c]);
    if (options.observed) graph_.observe(&observer_);
  }

  EngineOutcome run(std::uint64_t schedule_seed) {
    RunOptions options;
    options.limit = Time::fs(scenario_.limit);
    options.throw_on_error = false;
    options.schedule_seed = schedule_seed;
    EngineOutcome result{.report = graph_.run(options)};
    if (result.report.outcome == isthmus::Outcome::failed) throw Error("the engine failed: " + result.report.message);
    result.outcome.end = static_cast<End>(result.report.outcome);
    result.outcome.time = result.report.end.femtoseconds();
    for (std::size_t c = 0; c < scenario_.channels.size(); ++c)
      result.outcome.channels.push_back(trace(c, result.report));
    for (std::size_t a = 0; a < scenario_.actors.size(); ++a)
      result.outcome.actors.push_back(activity(a, result.report.actor(scenario_.actors[a].name)));
    return result;
  }

 private:
  void add(std::size_t a) {
    const ActorSpec& spec = scenario_.actors[a];
    const int ins = scenario_.inputs(a), outs = scenario_.outputs(a);
    plans_[a] = {spec.done, flatten(spec.program), {}, {}};
    plans_[a].pushed.resize(static_cast<std::size_t>(outs));
    plans_[a].pulled.resize(static_cast<std::size_t>(ins));
    placed_[a] = place(graph_, spec, ins, outs, plans_[a]);
  }

  void connect(const ChannelSpec& spec) {
    ChannelOptions options;
    options.depth = spec.depth;
    options.synchroniser = spec.synchroniser;
    if (scenario_.actors[spec.writer].clock)
      options.latency = static_cast<int>(spec.latency);
    else
      options.latency_time = Time::fs(spec.latency);
    if (scenario_.actors[spec.reader].clock)
      options.return_latency = static_cast<int>(spec.return_latency);
    else
      options.return_latency_time = Time::fs(spec.return_latency);
    graph_.connect(*placed_[spec.writer].out[static_cast<std::size_t>(spec.out)],
                   *placed_[spec.reader].in[static_cast<std::size_t>(spec.in)], options);
  }

  /// What had happened on the channel by the end of the run; the engine may have run further.
  ChannelTrace trace(std::size_t c, const RunReport& report) const {
    const ChannelSpec& spec = scenario_.channels[c];
    const auto number =
        static_cast<std::size_t>(std::find(connected_.begin(), connected_.end(), c) - connected_.begin());
    const auto name = channel_name(spec);
    const auto counts =
        std::find_if(report.channels.begin(), report.channels.end(), [&](const auto& r) { return r.name == name; });
    if (counts == report.channels.end()) throw Error("no report of channel " + name);
    const auto& pushed = plans_[spec.writer].pushed[static_cast<std::size_t>(spec.out)];
    const auto& pulled = plans_[spec.reader].pulled[static_cast<std::size_t>(spec.in)];
    const auto time = [&](const auto& times, std::size_t n) { return n < times[number].size() ? times[number][n] : 0; };
    ChannelTrace trace;
    for (std::size_t n = 0; n < counts->pushed; ++n) trace.pushes.push_back({time(observer_.pushes, n), pushed.at(n)});
    for (std::size_t n = 0; n < counts->popped; ++n)
      trace.pops.push_back({time(observer_.pops, n), pulled.at(n).value_or(pushed.at(n))});
    return trace;
  }

  std::string channel_name(const ChannelSpec& spec) const {
    const auto port = [](const char* kind, int number, int of) {
      return of == 1 ? kind : fmt::format("{}{}", kind, number);
    };
    return fmt::format("{}.{} -> {}.{}", scenario_.actors[spec.writer].name,
                       port("out", spec.out, scenario_.outputs(spec.writer)), scenario_.actors[spec.reader].name,
                       port("in", spec.in, scenario_.inputs(spec.reader)));
  }

  ActorActivity activity(std::size_t a, const ActorReport& report) const {
    ActorActivity activity{report.busy.femtoseconds(), report.starved.femtoseconds(), report.blocked.femtoseconds(),
                           report.lifetime.femtoseconds()};
    if (report.finished) {
      activity.finish = report.finish.femtoseconds();
      activity.state = *placed_[a].state;
    }
    return activity;
  }

  const Scenario& scenario_;
  Graph graph_;
  Observer observer_;
  std::vector<Plan> plans_;
  std::vector<Placed> placed_;
  std::vector<std::size_t> connected_;  ///< channels in the order in which they were connected
};

/// Draws a number a step into `numbers`.
struct Drawer {
  Drawer(std::vector<Value>* into, std::size_t how_many) : numbers(into), count(how_many) {}
  Random random;
  std::vector<Value>* numbers;
  std::size_t count;
  void step() { numbers->push_back(random.next()); }
  bool done() const { return numbers->size() == count; }
};

}  // namespace

Placed place(Graph& graph, const ActorSpec& spec, int ins, int outs, Plan& plan) {
  const Places& places = spec.periodic ? (spec.trivial ? periodic_trivial_places() : periodic_nontrivial_places())
                                       : (spec.trivial ? trivial_places() : nontrivial_places());
  const Place& of_kind =
      spec.arrays ? places.arrays : places.members[static_cast<std::size_t>(ins)][static_cast<std::size_t>(outs)];
  return of_kind[spec.done.when != Done::When::never]({graph, spec, ins, outs, plan});
}

EngineOutcome run_on_engine(const Scenario& scenario, const EngineOptions& options) {
  return EngineRun(scenario, options).run(options.schedule_seed);
}

Draw engine_draws(const std::string& actor, std::uint64_t run_seed) {
  const auto draw = [=](std::size_t count) {
    std::vector<Value> numbers;
    Graph graph(run_seed);
    graph.add<Drawer>(actor, {.clock = Clock{Frequency::mhz(100), 0, 1, ""}}, &numbers, count);
    graph.run();
    return numbers;
  };
  return [draw, numbers = std::vector<Value>(), next = std::size_t{0}]() mutable {
    if (next == numbers.size()) numbers = draw(2 * next + 256);
    return numbers[next++];
  };
}

std::string text_of(const RunReport& report) {
  std::string text =
      fmt::format("{} at {}: {}\n", to_string(report.outcome), report.end.femtoseconds(), report.message);
  for (const auto& warning : report.warnings) text += warning + "\n";
  for (const auto& a : report.actors)
    text += fmt::format("{}: {} {} {} {} {} {} {}\n", a.name, a.periodic, a.finished, a.finish.femtoseconds(),
                        a.busy.femtoseconds(), a.starved.femtoseconds(), a.blocked.femtoseconds(),
                        a.lifetime.femtoseconds());
  for (const auto& c : report.channels) text += fmt::format("{}: {} {} {}\n", c.name, c.depth, c.pushed, c.popped);
  return text;
}

std::string message_difference(const Outcome& expected, const RunReport& report, const Scenario& scenario) {
  if (expected.culprits.empty()) return report.message.empty() ? "" : "a message without an error: " + report.message;
  const auto says = [&](const std::string& text) { return report.message.find(text) != std::string::npos; };
  const auto named = [&](const Culprit& culprit) {
    if (!says(scenario.actors[culprit.actor].name)) return false;
    return !culprit.channel || says(fmt::format("({} of {})", culprit.fill, scenario.channels[*culprit.channel].depth));
  };
  constexpr std::ptrdiff_t kNamed = 32;  // and how many more
  for (const auto& culprits : expected.culprits) {
    const auto all = static_cast<std::ptrdiff_t>(culprits.size());
    if (std::count_if(culprits.begin(), culprits.end(), named) < std::min(all, kNamed)) continue;
    if (all <= kNamed || says(fmt::format(", and {} more", all - kNamed))) return "";
  }
  return "the message does not name those concerned and their fills: " + report.message;
}

}  // namespace isthmus::reference
