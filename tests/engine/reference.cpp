#include "engine/reference.hpp"

#include <algorithm>
#include <deque>

namespace isthmus::reference {
namespace {

constexpr int kInstants = 1'000'000;

class Simulation {
 public:
  Simulation(const Scenario& scenario, const DrawMaker& draws);
  Outcome run();

 private:
  void build_channels();
  void build_actors(const DrawMaker& draws);
  std::optional<std::int64_t> next_instant() const;
  bool ended(std::int64_t instant);
  bool all_finished() const;
  void look_for_stuck();
  void look_for_deadlock();
  void look_for_quiet();
  std::optional<std::size_t> waits_for(std::size_t actor) const;
  Culprit culprit(std::size_t actor) const;
  std::vector<Culprit> culprits(const std::vector<std::size_t>& actors) const;
  bool beside_a_periodic(std::size_t actor) const;
  void stop(End end, std::int64_t instant);

  const Scenario& scenario_;
  std::deque<Channel> channels_;
  std::deque<Actor> actors_;
  Outcome outcome_;
};

Simulation::Simulation(const Scenario& scenario, const DrawMaker& draws) : scenario_(scenario) {
  build_channels();
  build_actors(draws);
}

void Simulation::build_channels() {
  for (const auto& spec : scenario_.channels)
    channels_.emplace_back(spec, TickLine(scenario_.actors[spec.writer].clock),
                           TickLine(scenario_.actors[spec.reader].clock));
}

void Simulation::build_actors(const DrawMaker& draws) {
  for (std::size_t a = 0; a < scenario_.actors.size(); ++a) {
    std::vector<Channel*> inputs(static_cast<std::size_t>(scenario_.inputs(a)));
    std::vector<Channel*> outputs(static_cast<std::size_t>(scenario_.outputs(a)));
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      const ChannelSpec& spec = scenario_.channels[c];
      if (spec.reader == a) inputs[static_cast<std::size_t>(spec.in)] = &channels_[c];
      if (spec.writer == a) outputs[static_cast<std::size_t>(spec.out)] = &channels_[c];
    }
    const ActorSpec& spec = scenario_.actors[a];
    actors_.emplace_back(spec, inputs, outputs, draws ? draws(spec.name, scenario_.run_seed) : Draw{});
  }
}

Outcome Simulation::run() {
  for (int instants = 0; instants < kInstants; ++instants) {
    const auto instant = next_instant();
    if (!instant || *instant > scenario_.limit) {
      stop(End::limit, scenario_.limit);
      return outcome_;
    }
    for (auto& actor : actors_)
      if (actor.due() == instant) actor.act(*instant);
    if (ended(*instant)) return outcome_;
  }
  throw TooLong();
}

std::optional<std::int64_t> Simulation::next_instant() const {
  std::optional<std::int64_t> next;
  for (const auto& actor : actors_)
    if (const auto due = actor.due()) next = std::min(next.value_or(*due), *due);
  return next;
}

bool Simulation::ended(std::int64_t instant) {
  if (all_finished()) {
    stop(End::finished, instant);
    return true;
  }
  using Look = void (Simulation::*)();
  const std::pair<End, Look> errors[] = {{End::stuck, &Simulation::look_for_stuck},
                                         {End::deadlock, &Simulation::look_for_deadlock},
                                         {End::quiescent, &Simulation::look_for_quiet}};
  for (const auto& [end, look] : errors) {
    (this->*look)();
    if (outcome_.culprits.empty()) continue;
    stop(end, instant);
    return true;
  }
  return false;
}

bool Simulation::all_finished() const {
  return std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return a.finished() || a.spec().periodic; });
}

void Simulation::look_for_stuck() {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const auto [writer, reader] = std::pair(scenario_.channels[c].writer, scenario_.channels[c].reader);
    if (actors_[writer].pushes_for_good_into() == &channels_[c] && actors_[reader].finished() &&
        !actors_[writer].spec().periodic)
      outcome_.culprits.push_back({culprit(writer), {reader}});
  }
}

/// The other end of the channel on which the actor is blocked for good.
std::optional<std::size_t> Simulation::waits_for(std::size_t actor) const {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (actors_[actor].pushes_for_good_into() == &channels_[c]) return scenario_.channels[c].reader;
    if (actors_[actor].reads_for_good_from() == &channels_[c]) return scenario_.channels[c].writer;
  }
  return std::nullopt;
}

Culprit Simulation::culprit(std::size_t actor) const {
  for (std::size_t c = 0; c < channels_.size(); ++c)
    if (actors_[actor].pushes_for_good_into() == &channels_[c] || actors_[actor].reads_for_good_from() == &channels_[c])
      return {actor, c, channels_[c].pushed() - channels_[c].popped()};
  return {actor};
}

std::vector<Culprit> Simulation::culprits(const std::vector<std::size_t>& actors) const {
  std::vector<Culprit> all;
  for (const auto actor : actors) all.push_back(culprit(actor));
  return all;
}

void Simulation::look_for_deadlock() {
  for (std::size_t start = 0; start < actors_.size(); ++start) {
    std::vector<std::size_t> cycle;
    for (auto at = waits_for(start); at && cycle.size() < actors_.size(); at = waits_for(*at)) {
      cycle.push_back(*at);
      if (*at == start) break;
    }
    // Each cycle once: from its first member.
    if (!cycle.empty() && cycle.back() == start && *std::min_element(cycle.begin(), cycle.end()) == start)
      outcome_.culprits.push_back(culprits(cycle));
  }
}

void Simulation::look_for_quiet() {
  std::vector<std::size_t> unfinished;
  for (std::size_t a = 0; a < actors_.size(); ++a) {
    if (actors_[a].spec().periodic || actors_[a].finished()) continue;
    if (!actors_[a].blocked_for_good() && !actors_[a].idle_without_known_wake()) return;
    if (beside_a_periodic(a)) return;
    unfinished.push_back(a);
  }
  outcome_.culprits.push_back(culprits(unfinished));
}

bool Simulation::beside_a_periodic(std::size_t actor) const {
  return std::any_of(scenario_.channels.begin(), scenario_.channels.end(), [&](const ChannelSpec& channel) {
    if (channel.writer != actor && channel.reader != actor) return false;
    return scenario_.actors[channel.writer].periodic || scenario_.actors[channel.reader].periodic;
  });
}

void Simulation::stop(End end, std::int64_t instant) {
  outcome_.end = end;
  outcome_.time = instant;
  for (const auto& actor : actors_) outcome_.actors.push_back(actor.activity(instant));
  for (const auto& channel : channels_) {
    ChannelTrace trace;
    for (const auto& token : channel.tokens()) {
      trace.pushes.push_back({token.push_time, token.value});
      if (token.freed) trace.pops.push_back({token.pop_time, token.value});
    }
    outcome_.channels.push_back(std::move(trace));
  }
}

}  // namespace

Outcome simulate(const Scenario& scenario, const DrawMaker& draws) {
  return Simulation(scenario, draws).run();
}

}  // namespace isthmus::reference
