#include "engine/generator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isthmus::reference {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000'000'000;

class Generator {
 public:
  explicit Generator(Dice& dice) : dice_(dice) {
    scenario_.run_seed = static_cast<std::uint64_t>(dice_.between(1, 7));
    calm_ = dice_.chance(40);
    choose_clocks();
    choose_actors();
    connect();
    for (std::size_t a = 0; a < scenario_.actors.size(); ++a) fill(a);
  }
  Scenario take() { return std::move(scenario_); }

 private:
  ClockSpec toy_clock() {
    // Periods of a few femtoseconds, whole or halves and thirds: edges of different clocks fall together all the time.
    const std::int64_t part = dice_.one_of({1, 1, 1, 2, 3});
    return {kSecond * part, dice_.between(2 * part, 9 * part)};
  }
  ClockSpec real_clock() {
    return {dice_.one_of<std::int64_t>(
                {100'000'000, 125'000'000, 156'250'000, 200'000'000, 250'000'000, 300'000'000, 322'265'625}),
            dice_.one_of<std::int64_t>({1, 1, 1, 3})};
  }

  void choose_clocks() {
    toy_ = dice_.chance(60);
    for (int i = dice_.one_of({1, 1, 2, 2, 3}); i > 0; --i) {
      ClockSpec clock = toy_ ? toy_clock() : real_clock();
      if (dice_.chance(40)) {
        clock.phase_denominator = dice_.number(2, 5);
        clock.phase_numerator = dice_.between(0, clock.phase_denominator - 1);
      }
      if (dice_.chance(25)) clock.pll = "pll";
      clocks_.push_back(clock);
    }
    if (dice_.chance(20)) {  // the first again, written otherwise
      ClockSpec same = clocks_.front();
      same.numerator *= 2, same.denominator *= 2, same.phase_numerator *= 3, same.phase_denominator *= 3;
      same.pll.clear();
      clocks_.push_back(same);
    }
    const ClockSpec& first = clocks_.front();
    unit_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(1e15 * static_cast<double>(first.denominator) /
                                                                static_cast<double>(first.numerator)));
    scenario_.limit = unit_ * dice_.one_of<std::int64_t>({100, 300, 300, 1000, 1000, 3000, calm_ ? 9000 : 1000}) +
                      dice_.between(0, unit_);
  }

  void choose_actors() {
    const int clockless = dice_.one_of({0, 0, 15, 30, 100});
    const int odd = dice_.one_of({0, 25, 60});
    const int arrays = dice_.one_of({0, 0, 20, 60});
    for (int count = dice_.number(2, dice_.one_of({3, 3, 4, 4, 6, 6, 12, 40})); count > 0; --count) {
      ActorSpec actor{.name = fmt::format("n{}", scenario_.actors.size() + 8)};
      if (!dice_.chance(clockless)) actor.clock = dice_.one_of(clocks_);
      actor.initiation_interval = actor.clock && dice_.chance(30) ? dice_.number(2, 4) : 1;
      actor.trivial = !dice_.chance(odd);
      actor.arrays = dice_.chance(arrays);
      actor.periodic = !scenario_.actors.empty() && dice_.chance(7);
      scenario_.actors.push_back(std::move(actor));
    }
  }

  void connect() {
    const auto last = scenario_.actors.size() - 1;
    const int shape = dice_.number(0, 5);
    if (shape <= 3)  // a chain or a tree, so that all hangs together
      for (std::size_t a = 1; a <= last; ++a) {
        const std::size_t before = shape == 1 ? any(0, a - 1) : a - 1;
        shape == 2 && dice_.chance(50) ? join(a, before) : join(before, a);
      }
    if (shape == 4) {  // a ring
      for (std::size_t a = 0; a < last; ++a) join(a, a + 1);
      join(last, 0);
    }
    for (int more = shape == 5 ? static_cast<int>(last) + 2 : dice_.one_of({0, 0, 1, 2, 4}); more > 0; --more) {
      const std::size_t from = any(0, last), to = any(0, last);
      const bool forward = dice_.chance(60);
      join(forward ? std::min(from, to) : from, forward ? std::max(from, to) : to);
    }
    widen();
    for (std::size_t a = 0; a <= last; ++a)
      if (scenario_.inputs(a) + scenario_.outputs(a) == 0) join(a, a == 0 ? 1 : 0);
  }

  /// More channels between actors whose ports lie in arrays, now and then as many as these can have.
  void widen() {
    std::vector<std::size_t> wide;
    for (std::size_t a = 0; a < scenario_.actors.size(); ++a)
      if (scenario_.actors[a].arrays) wide.push_back(a);
    if (wide.size() < 2 || dice_.chance(50)) return;
    const bool forward = dice_.chance(70), one_pair = dice_.chance(50);
    std::size_t from = dice_.one_of(wide), to = dice_.one_of(wide);
    for (int more = dice_.one_of({2, 5, 16, 64}); more > 0; --more) {
      join(forward ? std::min(from, to) : from, forward ? std::max(from, to) : to);
      if (!one_pair) from = dice_.one_of(wide), to = dice_.one_of(wide);
    }
  }

  std::size_t any(std::size_t low, std::size_t high) {
    return static_cast<std::size_t>(dice_.between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
  }

  void join(std::size_t from, std::size_t to) {
    if (from == to && !dice_.chance(10)) return;
    ChannelSpec channel{.writer = from, .out = scenario_.outputs(from), .reader = to, .in = scenario_.inputs(to)};
    if (channel.out == most_ports(from) || channel.in == most_ports(to)) return;
    const auto& writer = scenario_.actors[from].clock;
    const auto& reader = scenario_.actors[to].clock;
    channel.depth = dice_.one_of({1, 2, 2, 3, 4, 5, 8, 16, 64});
    channel.latency = latency(writer.has_value());
    channel.return_latency = latency(reader.has_value());
    if (writer && reader && dice_.chance(15)) channel.synchroniser = dice_.number(0, 3);
    scenario_.channels.push_back(channel);
  }

  int most_ports(std::size_t actor) const { return scenario_.actors[actor].arrays ? kArrayPorts : kPorts; }

  std::int64_t latency(bool clocked) {
    if (clocked) return dice_.one_of({1, 1, 1, 2, 3, 5});
    const std::int64_t least = toy_ ? 1 : unit_ / 10;  // or a loop of such actors turns a million times a cycle
    return dice_.between(least, dice_.one_of({3 * least, 6 * unit_}));
  }

  void fill(std::size_t a) {
    ActorSpec& actor = scenario_.actors[a];
    Means means{.ins = scenario_.inputs(a), .outs = scenario_.outputs(a), .clocked = actor.clock.has_value()};
    means.periodic = actor.periodic;
    means.calm = calm_;
    means.arrays = actor.arrays;
    means.unit = unit_;
    actor.done = done(means);
    means.counts = actor.done.when == Done::When::counted;
    actor.program = random_program(dice_, means, !actor.trivial ? dice_.chance(60) : dice_.chance(5));
  }

  Done done(const Means& means) {
    if (means.periodic && dice_.chance(80)) return {};
    if (means.ins > 0 && dice_.chance(calm_ ? 92 : 80)) return {};
    const std::int64_t many = calm_ ? 4000 : 400;
    const std::int64_t tokens =
        dice_.one_of({dice_.between(0, 5), dice_.between(5, 60), dice_.between(60, many), dice_.between(60, many)});
    const int kind = dice_.number(0, 9);
    if (kind == 0) return {Done::When::counted, tokens};
    if (kind <= 2) return {Done::When::moved, tokens};
    return {means.outs > 0 ? Done::When::pushed : Done::When::pulled, tokens};
  }

  Dice& dice_;
  bool toy_ = false;
  bool calm_ = false;
  std::vector<ClockSpec> clocks_;
  std::int64_t unit_ = 1;
  Scenario scenario_;
};

}  // namespace

Scenario generate(Dice& dice) {
  return Generator(dice).take();
}

}  // namespace isthmus::reference
