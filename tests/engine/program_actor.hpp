#pragma once

#include <array>
#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>
#include <numeric>
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
  void* ports;
  void (*promise)(Timer& timer, void* ports);             ///< says `timer.wait(every port)`
  std::vector<std::uint32_t> (*poll_heads)(void* ports);  ///< of all inputs, and returns which are left to be polled
};

/// One step of the program, whatever the actor's type: compiled once, not for each number of ports.
void run_step(const Reach& reach);

/// The ports of an actor as members.
template <int Ins, int Outs>
struct MemberPorts {
  std::array<In<Value>, Ins> in;
  std::array<Out<Value>, Outs> out;
  MemberPorts(int /*ins*/, int /*outs*/) {}
};
template <int Ins, int Outs>
void promise(Timer& timer, MemberPorts<Ins, Outs>& ports) {
  const auto wait = [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
    if constexpr (Ins + Outs > 0) timer.wait(ports.in[I]..., ports.out[O]...);
  };
  wait(std::make_index_sequence<Ins>(), std::make_index_sequence<Outs>());
}
template <int Ins, int Outs>
std::vector<std::uint32_t> poll_heads(MemberPorts<Ins, Outs>& /*ports*/) {
  std::vector<std::uint32_t> all(Ins);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// In arrays made with it.
struct ArrayPorts {
  PortArray<In<Value>> in;
  PortArray<Out<Value>> out;
  ArrayPorts(int ins, int outs) : in(ins), out(outs) {}
};
inline void promise(Timer& timer, ArrayPorts& ports) {
  timer.wait(ports.in, ports.out);
}
inline std::vector<std::uint32_t> poll_heads(ArrayPorts& ports) {
  const auto left = ports.in.poll_heads();
  return {left.begin(), left.end()};
}

/// An actor that runs a program through real ports. One that is not `Trivial` also holds a string, so that its states
/// cannot be compared as bytes.
template <class Ports, bool Trivial, bool HasDone, bool Periodic>
struct ProgramActor {
  struct Nothing {};
  static constexpr bool periodic = Periodic;

  Ports ports;
  Timer timer;
  Random random;
  Plan* plan;
  State state{};
  std::conditional_t<Trivial, Nothing, std::string> ballast{};

  ProgramActor(Plan* p, int ins, int outs) : ports(ins, outs), plan(p) {}

  void step() {
    const auto promise_all = [](Timer& on, void* all) { promise(on, *static_cast<Ports*>(all)); };
    const auto ask = [](void* all) { return poll_heads(*static_cast<Ports*>(all)); };
    run_step({ports.in, ports.out, timer, random, *plan, state, &ports, promise_all, ask});
  }
  bool done() const requires HasDone { return plan->done(state); }
};

/// An actor in a graph, seen without its type.
struct Placed {
  std::vector<In<Value>*> in{};
  std::vector<Out<Value>*> out{};
  const State* state = nullptr;
};

/// Adds the actor with the given numbers of ports.
Placed place(Graph& graph, const ActorSpec& spec, int ins, int outs, Plan& plan);

/// An actor as it is to be added, and with how many ports.
struct Placing {
  Graph& graph;
  const ActorSpec& spec;
  int ins;
  int outs;
  Plan& plan;
};

template <class Ports, bool Trivial, bool HasDone, bool Periodic>
Placed place_as(const Placing& placing) {
  ActorOptions options;
  if (placing.spec.clock) {
    const ClockSpec& clock = *placing.spec.clock;
    options.clock =
        Clock{{clock.numerator, clock.denominator}, clock.phase_numerator, clock.phase_denominator, clock.pll};
  }
  options.initiation_interval = placing.spec.initiation_interval;
  using Actor = ProgramActor<Ports, Trivial, HasDone, Periodic>;
  static_assert(std::is_trivially_copyable_v<Actor> == Trivial);
  auto& actor = placing.graph.add<Actor>(placing.spec.name, options, &placing.plan, placing.ins, placing.outs);
  Placed placed{.state = &actor.state};
  for (auto& port : actor.ports.in) placed.in.push_back(&port);
  for (auto& port : actor.ports.out) placed.out.push_back(&port);
  return placed;
}

/// place_as without and with done().
using Place = std::array<Placed (*)(const Placing&), 2>;
template <class Ports, bool Trivial, bool Periodic>
constexpr Place kPlace{place_as<Ports, Trivial, false, Periodic>, place_as<Ports, Trivial, true, Periodic>};

/// place_as for each number of ports and for arrays of them; one of these for each kind of actor, in a source file of
/// its own.
struct Places {
  std::array<std::array<Place, kPorts + 1>, kPorts + 1> members;
  Place arrays;
};
const Places& trivial_places();
const Places& nontrivial_places();
const Places& periodic_trivial_places();
const Places& periodic_nontrivial_places();

template <bool Trivial, bool Periodic>
Places make_places() {
  Places places{.members = {}, .arrays = kPlace<ArrayPorts, Trivial, Periodic>};
  const auto fill = [&]<int... Port>(std::integer_sequence<int, Port...>, auto outs) {
    constexpr int kOuts = decltype(outs)::value;
    ((places.members[Port][kOuts] = kPlace<MemberPorts<Port, kOuts>, Trivial, Periodic>), ...);
  };
  constexpr std::make_integer_sequence<int, kPorts + 1> kEach{};
  fill(kEach, std::integral_constant<int, 0>{});
  fill(kEach, std::integral_constant<int, 1>{});
  fill(kEach, std::integral_constant<int, 2>{});
  fill(kEach, std::integral_constant<int, 3>{});
  return places;
}

}  // namespace isthmus::reference
