#include <fmt/format.h>

#include <isthmus/base/error.hpp>
#include <map>
#include <sstream>

#include "engine/scenario.hpp"

namespace isthmus::reference {
namespace {

constexpr const char* kOps[] = {"pull",   "drop",        "read",     "peek",       "front",   "closed",   "front_time",
                                "push",   "slot",        "room",     "wait_until", "wait_on", "wait",     "sleep",
                                "mix",    "count",       "store",    "draw",       "now",     "constant", "if_last",
                                "if_not", "if_register", "if_below", "if_value",   "repeat",  "leave",    "scan"};
constexpr const char* kOperands[] = {"value", "reg", "hash"};
constexpr const char* kWhens[] = {"never", "pushed", "pulled", "moved", "counted"};

template <std::size_t N>
int index_of(const char* const (&names)[N], const std::string& name) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<int>(i);
  throw Error("unknown word '" + name + "' in a listing");
}

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& i : program) {
    text += fmt::format(" {}", kOps[static_cast<int>(i.op)]);
    if (i.port) text += fmt::format(" p={}", i.port);
    if (i.reg) text += fmt::format(" r={}", i.reg);
    if (i.a) text += fmt::format(" a={}", i.a);
    if (i.b) text += fmt::format(" b={}", i.b);
    if (i.c != 1) text += fmt::format(" c={}", i.c);
    if (i.operand != Operand::hash) text += fmt::format(" sends={}", kOperands[static_cast<int>(i.operand)]);
    if (!i.body.empty()) text += " {" + text_of(i.body) + " }";
  }
  return text;
}

std::string text_of(const ActorSpec& actor) {
  std::string text = "actor " + actor.name;
  if (actor.clock) {
    const auto& k = *actor.clock;
    text += fmt::format(" clock={}/{}", k.numerator, k.denominator);
    if (k.phase_numerator) text += fmt::format(" phase={}/{}", k.phase_numerator, k.phase_denominator);
    if (!k.pll.empty()) text += " pll=" + k.pll;
  }
  if (actor.initiation_interval != 1) text += fmt::format(" ii={}", actor.initiation_interval);
  if (actor.periodic) text += " periodic";
  if (!actor.trivial) text += " nontrivial";
  if (actor.arrays) text += " arrays";
  if (actor.done.when != Done::When::never)
    text += fmt::format(" done={}/{}", kWhens[static_cast<int>(actor.done.when)], actor.done.at_least);
  return text + "\n  {" + text_of(actor.program) + " }\n";
}

std::string text_of(const ChannelSpec& channel, const Scenario& scenario) {
  std::string text = fmt::format(
      "channel {} {} {} {} depth={} latency={} return={}", scenario.actors[channel.writer].name, channel.out,
      scenario.actors[channel.reader].name, channel.in, channel.depth, channel.latency, channel.return_latency);
  if (channel.synchroniser) text += fmt::format(" sync={}", *channel.synchroniser);
  return text + "\n";
}

/// Reads a listing word by word.
class Reader {
 public:
  explicit Reader(const std::string& text) : words_(text) { next(); }

  Scenario scenario() {
    Scenario scenario;
    while (!word_.empty()) {
      const std::string kind = take();
      if (kind == "run") {
        read_run(scenario);
      } else if (kind == "actor") {
        names_[word_] = scenario.actors.size();
        scenario.actors.push_back(read_actor());
      } else if (kind == "channel") {
        scenario.channels.push_back(read_channel());
      } else {
        throw Error("unknown word '" + kind + "' in a listing");
      }
    }
    return scenario;
  }

 private:
  void next() {
    word_.clear();
    words_ >> word_;
  }
  std::string take() {
    std::string word = word_;
    next();
    return word;
  }
  /// "name" or "name=text" or "name=number/number".
  bool option(const std::string& name) {
    if (word_ != name && word_.rfind(name + "=", 0) != 0) return false;
    const auto equals = word_.find('=');
    value_ = equals == std::string::npos ? "" : word_.substr(equals + 1);
    next();
    return true;
  }
  std::int64_t number() const { return std::stoll(value_); }
  std::int64_t second() const { return std::stoll(value_.substr(value_.find('/') + 1)); }

  void read_run(Scenario& scenario) {
    for (;;) {
      if (option("limit"))
        scenario.limit = number();
      else if (option("seed"))
        scenario.run_seed = std::stoull(value_);
      else
        return;
    }
  }

  ActorSpec read_actor() {
    ActorSpec actor{.name = take()};
    while (word_ != "{") {
      if (option("clock"))
        actor.clock = ClockSpec{number(), second()};
      else if (option("phase"))
        std::tie(actor.clock->phase_numerator, actor.clock->phase_denominator) = std::pair(number(), second());
      else if (option("pll"))
        actor.clock->pll = value_;
      else if (option("ii"))
        actor.initiation_interval = static_cast<int>(number());
      else if (option("periodic"))
        actor.periodic = true;
      else if (option("nontrivial"))
        actor.trivial = false;
      else if (option("arrays"))
        actor.arrays = true;
      else if (option("done"))
        actor.done = {Done::When(index_of(kWhens, value_.substr(0, value_.find('/')))), second()};
      else
        throw Error("unknown word '" + word_ + "' in a listing");
    }
    actor.program = read_program();
    return actor;
  }

  Program read_program() {
    Program program;
    next();
    while (word_ != "}") {
      Instruction instruction{.op = Op(index_of(kOps, take()))};
      for (;;) {
        if (option("p"))
          instruction.port = static_cast<int>(number());
        else if (option("r"))
          instruction.reg = static_cast<int>(number());
        else if (option("a"))
          instruction.a = number();
        else if (option("b"))
          instruction.b = number();
        else if (option("c"))
          instruction.c = number();
        else if (option("sends"))
          instruction.operand = Operand(index_of(kOperands, value_));
        else
          break;
      }
      if (word_ == "{") instruction.body = read_program();
      program.push_back(std::move(instruction));
    }
    next();
    return program;
  }

  ChannelSpec read_channel() {
    ChannelSpec channel;
    channel.writer = names_.at(take());
    channel.out = std::stoi(take());
    channel.reader = names_.at(take());
    channel.in = std::stoi(take());
    for (;;) {
      if (option("depth"))
        channel.depth = static_cast<int>(number());
      else if (option("latency"))
        channel.latency = number();
      else if (option("return"))
        channel.return_latency = number();
      else if (option("sync"))
        channel.synchroniser = static_cast<int>(number());
      else
        return channel;
    }
  }

  std::istringstream words_;
  std::string word_, value_;
  std::map<std::string, std::size_t> names_;
};

}  // namespace

std::string listing(const Scenario& scenario) {
  std::string text = fmt::format("run limit={} seed={}\n", scenario.limit, scenario.run_seed);
  for (const auto& actor : scenario.actors) text += text_of(actor);
  for (const auto& channel : scenario.channels) text += text_of(channel, scenario);
  return text;
}

Scenario parse(const std::string& text) {
  return Reader(text).scenario();
}

}  // namespace isthmus::reference
