#pragma once

#include <array>
#include <isthmus/engine/graph.hpp>
#include <isthmus/stream.hpp>
#include <optional>
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

  void step() {
    Frame frame;
    while (frame.at < static_cast<int>(plan->code.size()))
      if (!control(plan->code, frame, state)) perform(plan->code[static_cast<std::size_t>(frame.at++)].what, frame);
  }
  bool done() const requires HasDone { return plan->done(state); }

 private:
  void perform(const Instruction& instruction, Frame& frame) {
    const auto port = static_cast<std::size_t>(instruction.port);
    if constexpr (Ins > 0)
      if (perform_input(instruction, in[port < Ins ? port : 0], frame)) return;
    if constexpr (Outs > 0)
      if (perform_output(instruction, out[port < Outs ? port : 0], frame)) return;
    keep_time(instruction, frame);
  }

  bool perform_input(const Instruction& instruction, In<Value>& input, Frame& frame) {
    switch (instruction.op) {
      case Op::pull:
        frame.last = input.pull(frame.value);
        break;
      case Op::drop:
        frame.last = input.pull();
        break;
      case Op::read:
        frame.value = input.read();
        break;
      case Op::peek:
        frame.last = input.peek(frame.value);
        break;
      case Op::front:
        look(input, frame);
        break;
      case Op::closed:
        frame.last = input.closed();
        break;
      case Op::front_time:
        frame.value = static_cast<Value>(input.front_time().femtoseconds());
        return true;
      default:
        return false;
    }
    const bool question = instruction.op == Op::peek || instruction.op == Op::front || instruction.op == Op::closed;
    if (instruction.op != Op::read && !frame.last) frame.refused |= 1u << instruction.port;
    if (question || (instruction.op != Op::read && !frame.last)) return true;
    frame.eventful = true;
    ++state.pulled;
    auto& log = plan->pulled[static_cast<std::size_t>(instruction.port)];
    log.push_back(instruction.op == Op::drop ? std::nullopt : std::optional(frame.value));
    return true;
  }

  static void look(In<Value>& input, Frame& frame) {
    const Value* head = input.front();
    frame.last = head != nullptr;
    if (frame.last) frame.value = *head;
  }

  bool perform_output(const Instruction& instruction, Out<Value>& output, Frame& frame) {
    if (instruction.op == Op::room) {
      frame.last = output.room();
      if (!frame.last) frame.refused |= 1u << (16 + instruction.port);
      return true;
    }
    if (instruction.op != Op::push && instruction.op != Op::slot) return false;
    const Value value = operand(instruction, frame, state);
    if (instruction.op == Op::push) {
      output.push(value);
    } else {
      output.slot() = value;
    }
    frame.eventful = true;
    ++state.pushed;
    plan->pushed[static_cast<std::size_t>(instruction.port)].push_back(value);
    return true;
  }

  void keep_time(const Instruction& instruction, Frame& frame) {
    if (instruction.op == Op::sleep) return promise(frame);
    frame.eventful = true;
    const auto femtoseconds = Time::fs(span(instruction, state));
    switch (instruction.op) {
      case Op::wait_until:
        timer.wait_until(femtoseconds);
        break;
      case Op::wait_on:
        timer.wait_until(timer.now() + femtoseconds);
        break;
      case Op::wait:
        timer.wait(femtoseconds);
        break;
      case Op::draw:
        frame.value = random.next() % static_cast<Value>(instruction.a);
        break;
      case Op::now:
        frame.value = static_cast<Value>(timer.now().femtoseconds());
        break;
      default:
        break;
    }
  }

  void promise(const Frame& frame) {
    if (frame.eventful || frame.refused == 0) return;
    if constexpr (Ins + Outs > 0)
      std::apply(
          [&](auto&... inputs) { std::apply([&](auto&... outputs) { timer.wait(inputs..., outputs...); }, out); }, in);
  }
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
