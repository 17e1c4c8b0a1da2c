#include <algorithm>

#include "engine/agreement.hpp"

namespace isthmus::reference {
namespace {

using Predicate = std::function<bool(const Scenario&)>;

bool is_output(Op op) {
  return op == Op::push || op == Op::slot || op == Op::room;
}
bool is_input(Op op) {
  return op <= Op::front_time;
}

/// Takes a port out of a program: what used it goes, higher ports move down.
void drop_port(Program& program, int port, bool output) {
  std::erase_if(program,
                [&](const Instruction& i) { return i.port == port && (output ? is_output(i.op) : is_input(i.op)); });
  for (auto& i : program) {
    if (i.port > port && (output ? is_output(i.op) : is_input(i.op))) --i.port;
    drop_port(i.body, port, output);
  }
}

void remove_channel(Scenario& scenario, std::size_t which) {
  const ChannelSpec gone = scenario.channels[which];
  scenario.channels.erase(scenario.channels.begin() + static_cast<std::ptrdiff_t>(which));
  drop_port(scenario.actors[gone.writer].program, gone.out, true);
  drop_port(scenario.actors[gone.reader].program, gone.in, false);
  for (auto& channel : scenario.channels) {
    if (channel.writer == gone.writer && channel.out > gone.out) --channel.out;
    if (channel.reader == gone.reader && channel.in > gone.in) --channel.in;
  }
}

void remove_actor(Scenario& scenario, std::size_t which) {
  for (std::size_t c = scenario.channels.size(); c-- > 0;)
    if (scenario.channels[c].writer == which || scenario.channels[c].reader == which) remove_channel(scenario, c);
  scenario.actors.erase(scenario.actors.begin() + static_cast<std::ptrdiff_t>(which));
  for (auto& channel : scenario.channels) {
    if (channel.writer > which) --channel.writer;
    if (channel.reader > which) --channel.reader;
  }
}

/// Tries smaller and simpler scenarios for as long as one of them still fails.
class Shrinker {
 public:
  Shrinker(Scenario scenario, const Predicate& fails) : best_(std::move(scenario)), fails_(fails) {}

  Scenario run() {
    do {
      improved_ = false;
      for (std::size_t a = best_.actors.size(); a-- > 0;) attempt([&](Scenario& s) { remove_actor(s, a); });
      for (std::size_t c = best_.channels.size(); c-- > 0;) attempt([&](Scenario& s) { remove_channel(s, c); });
      for (std::size_t a = 0; a < best_.actors.size(); ++a) {
        shrink_program(a, {});
        simplify_actor(a);
      }
      for (std::size_t c = 0; c < best_.channels.size(); ++c) simplify_channel(c);
      attempt([](Scenario& s) { s.limit /= 2; });
      attempt([](Scenario& s) { s.limit -= s.limit / 8; });
    } while (improved_);
    return best_;
  }

 private:
  template <class Change>
  bool attempt(Change change) {
    Scenario candidate = best_;
    change(candidate);
    if (listing(candidate) == listing(best_) || !can_run(candidate) || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    return improved_ = true;
  }

  static Program& at(Scenario& scenario, std::size_t actor, const std::vector<std::size_t>& path) {
    Program* program = &scenario.actors[actor].program;
    for (const auto step : path) program = &(*program)[step].body;
    return *program;
  }

  void shrink_program(std::size_t actor, std::vector<std::size_t> path) {
    for (std::size_t i = at(best_, actor, path).size(); i-- > 0;) {
      const auto here = static_cast<std::ptrdiff_t>(i);
      const auto remove = [&](Scenario& s) {
        Program& program = at(s, actor, path);
        program.erase(program.begin() + here);
      };
      const auto unwrap = [&](Scenario& s) {
        Program& program = at(s, actor, path);
        const Program body = program[i].body;
        program.erase(program.begin() + here);
        program.insert(program.begin() + here, body.begin(), body.end());
      };
      if (attempt(remove)) continue;
      if (!at(best_, actor, path)[i].body.empty() && attempt(unwrap)) continue;
      simplify_instruction(actor, path, i);
      path.push_back(i);
      shrink_program(actor, path);
      path.pop_back();
    }
  }

  void simplify_instruction(std::size_t actor, const std::vector<std::size_t>& path, std::size_t i) {
    const auto change = [&](auto what) { attempt([&](Scenario& s) { what(at(s, actor, path)[i]); }); };
    change([](Instruction& x) { x.a = std::max<std::int64_t>(x.a / 2, x.op == Op::draw); });
    change([](Instruction& x) { x.a = std::max<std::int64_t>(x.a - 1, x.op == Op::draw); });
    if (is_wait(at(best_, actor, path)[i].op)) change([](Instruction& x) { x.b = 0, x.c = 1; });
    change([](Instruction& x) { x.reg = 0; });
  }
  static bool is_wait(Op op) { return op == Op::wait || op == Op::wait_on || op == Op::wait_until; }

  void simplify_actor(std::size_t a) {
    const auto change = [&](auto what) { attempt([&](Scenario& s) { what(s.actors[a]); }); };
    change([](ActorSpec& x) { x.initiation_interval = 1; });
    change([](ActorSpec& x) { x.periodic = false; });
    change([](ActorSpec& x) { x.trivial = true; });
    change([](ActorSpec& x) { x.arrays = false; });
    change([](ActorSpec& x) { x.done = {}; });
    change([](ActorSpec& x) { x.done.at_least /= 2; });
    change([](ActorSpec& x) { x.done.at_least -= x.done.at_least > 0; });
    change([](ActorSpec& x) {
      if (x.clock) x.clock->phase_numerator = 0, x.clock->phase_denominator = 1;
    });
    change([](ActorSpec& x) {
      if (x.clock) x.clock->pll.clear();
    });
    for (std::size_t other = 0; other < a; ++other) {
      const auto clock = best_.actors[other].clock;
      if (clock.has_value() == best_.actors[a].clock.has_value()) change([&](ActorSpec& x) { x.clock = clock; });
    }
  }

  void simplify_channel(std::size_t c) {
    const auto change = [&](auto what) { attempt([&](Scenario& s) { what(s.channels[c]); }); };
    change([](ChannelSpec& x) { x.depth = 1; });
    change([](ChannelSpec& x) { x.depth = std::max(1, x.depth / 2); });
    change([](ChannelSpec& x) { x.latency = 1; });
    change([](ChannelSpec& x) { x.return_latency = 1; });
    change([](ChannelSpec& x) { x.synchroniser.reset(); });
  }

  Scenario best_;
  const Predicate& fails_;
  bool improved_ = false;
};

}  // namespace

bool can_run(const Scenario& scenario) {
  for (std::size_t a = 0; a < scenario.actors.size(); ++a) {
    const ActorSpec& actor = scenario.actors[a];
    if (actor.done.when == Done::When::never && !actor.periodic && scenario.inputs(a) == 0) return false;
    if (!actor.arrays && std::max(scenario.inputs(a), scenario.outputs(a)) > kPorts) return false;
  }
  return std::any_of(scenario.actors.begin(), scenario.actors.end(), [](const auto& actor) { return !actor.periodic; });
}

Scenario shrink(Scenario scenario, const Predicate& fails) {
  return Shrinker(std::move(scenario), fails).run();
}

}  // namespace isthmus::reference
