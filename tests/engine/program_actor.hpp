#pragma once

#include <array>
#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/scenario.hpp"

namespace isthmus::reference {

/// What an actor runs and where it writes down what it moved; outside its state.
struct Plan {
  Done done;
  std::vector<Code> code;
  std::vector<std::vector<Value>> pushed;                 ///< by port
  std::vector<std::vector<std::optional<Value>>> pulled;  ///< by port; nothing for a dropped token
};

/// What a program reaches of the actor that runs it.
struct Reach {
  std::span<In<Value>> in;
  std::span<Out<Value>> out;
  Timer& timer;
  Random& random;
  Plan& plan;
  State& state;
  void (*promise)(const Reach&);  ///< says `timer.wait(every port)`
};

/// One step of the program, whatever the actor's type: compiled once, not for each number of ports.
void run_step(const Reach& reach);

template <int Ins, int Outs>
void promise_all(const Reach& reach) {
  const auto wait = [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
    if constexpr (Ins + Outs > 0) reach.timer.wait(reach.in[I]..., reach.out[O]...);
  };
  wait(std::make_index_sequence<Ins>(), std::make_index_sequence<Outs>());
}

/// An actor that runs a program through real ports. One that is not `Trivial` also holds a string, so that its states
/// cannot be compared as bytes.
template <int Ins, int Outs, bool Trivial, bool HasDone, bool Periodic>
struct ProgramActor {
  struct Nothing {};
  static constexpr bool periodic = Periodic;

  std::array<In<Value>, Ins> in;
  std::array<Out<Value>, Outs> out;
  Timer timer;
  Random random;
  Plan* plan;
  State state{};
  std::conditional_t<Trivial, Nothing, std::string> ballast{};

  explicit ProgramActor(Plan* p) : plan(p) {}

  void step() { run_step({in, out, timer, random, *plan, state, promise_all<Ins, Outs>}); }
  bool done() const requires HasDone { return plan->done(state); }
};

/// An actor in a graph, seen without its type.
struct Placed {
  std::vector<In<Value>*> in{};
  std::vector<Out<Value>*> out{};
  const State* state = nullptr;
};

/// Adds the actor with the given numbers of ports, at most kPorts each.
constexpr int kPorts = 3;
Placed place(Graph& graph, const ActorSpec& spec, int ins, int outs, Plan& plan);

template <int Ins, int Outs, bool Trivial, bool HasDone, bool Periodic>
Placed place_as(Graph& graph, const ActorSpec& spec, Plan& plan) {
  ActorOptions options;
  if (spec.clock) {
    const ClockSpec& clock = *spec.clock;
    options.clock =
        Clock{{clock.numerator, clock.denominator}, clock.phase_numerator, clock.phase_denominator, clock.pll};
  }
  options.initiation_interval = spec.initiation_interval;
  using Actor = ProgramActor<Ins, Outs, Trivial, HasDone, Periodic>;
  static_assert(std::is_trivially_copyable_v<Actor> == Trivial);
  auto& actor = graph.add<Actor>(spec.name, options, &plan);
  Placed placed{.state = &actor.state};
  for (auto& port : actor.in) placed.in.push_back(&port);
  for (auto& port : actor.out) placed.out.push_back(&port);
  return placed;
}

using Place = Placed (*)(Graph&, const ActorSpec&, Plan&);
/// place_as for each number of ports and with or without done(); one of these for each kind of actor, in a source file
/// of its own.
using Places = std::array<std::array<std::array<Place, 2>, kPorts + 1>, kPorts + 1>;
const Places& trivial_places();
const Places& nontrivial_places();
const Places& periodic_trivial_places();
const Places& periodic_nontrivial_places();

template <bool Trivial, bool Periodic>
Places make_places() {
  Places places{};
  const auto fill = [&]<int... Port>(std::integer_sequence<int, Port...>, auto outs) {
    constexpr int kOuts = decltype(outs)::value;
    ((places[Port][kOuts] = {place_as<Port, kOuts, Trivial, false, Periodic>,
                             place_as<Port, kOuts, Trivial, true, Periodic>}),
     ...);
  };
  constexpr std::make_integer_sequence<int, kPorts + 1> kEach{};
  fill(kEach, std::integral_constant<int, 0>{});
  fill(kEach, std::integral_constant<int, 1>{});
  fill(kEach, std::integral_constant<int, 2>{});
  fill(kEach, std::integral_constant<int, 3>{});
  return places;
}

}  // namespace isthmus::reference
