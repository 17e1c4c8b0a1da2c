#pragma once

#include <isthmus/base/units.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/program.hpp"

namespace isthmus::reference {

/// A rational frequency in hertz and a phase p/q of a period; clocks that name one PLL need no synchroniser.
struct ClockSpec {
  std::int64_t numerator = 1, denominator = 1;
  std::int64_t phase_numerator = 0, phase_denominator = 1;
  std::string pll{};
};

/// How many inputs and how many outputs an actor may have: as members, and in arrays made with it.
constexpr int kPorts = 3;
constexpr int kArrayPorts = 64;

struct ActorSpec {
  std::string name;
  std::optional<ClockSpec> clock{};
  int initiation_interval = 1;
  bool periodic = false;
  bool trivial = true;  ///< trivially copyable: the engine may compare its states
  bool arrays = false;  ///< its ports lie in a PortArray of each kind
  Done done{};
  Program program{};
};

/// Latencies are cycles of the end they start from, or a time in femtoseconds where that end has no clock.
struct ChannelSpec {
  std::size_t writer = 0;
  int out = 0;
  std::size_t reader = 0;
  int in = 0;
  int depth = 2;
  std::int64_t latency = 1, return_latency = 1;
  std::optional<int> synchroniser{};
};

struct Scenario {
  std::vector<ActorSpec> actors{};
  std::vector<ChannelSpec> channels{};
  std::int64_t limit = 0;  ///< femtoseconds
  std::uint64_t run_seed = 1;

  int inputs(std::size_t actor) const;
  int outputs(std::size_t actor) const;
};

/// The scenario as text that `parse` reads back.
std::string listing(const Scenario& scenario);
Scenario parse(const std::string& text);

enum class End { finished, limit, stuck, deadlock, quiescent };
std::string name_of(End end);
std::string name_of(const Scenario& scenario, const ChannelSpec& channel);

struct TokenEvent {
  std::int64_t time = 0;
  Value value = 0;
  bool operator==(const TokenEvent&) const = default;
};

struct ChannelTrace {
  std::vector<TokenEvent> pushes{}, pops{};
  bool operator==(const ChannelTrace&) const = default;
};

struct ActorActivity {
  std::int64_t busy = 0, starved = 0, blocked = 0, lifetime = 0;
  std::optional<std::int64_t> finish{};
  std::optional<State> state{};  ///< of a finished actor: that of another is no result
  bool operator==(const ActorActivity&) const = default;
};

/// An actor that an error is told of, and the channel it waits on, if it does.
struct Culprit {
  std::size_t actor = 0;
  std::optional<std::size_t> channel{};
  std::size_t fill = 0;  ///< tokens in that channel
};

/// What a run did, by the index of actor and channel in the scenario.
struct Outcome {
  End end = End::finished;
  std::int64_t time = 0;
  std::vector<ChannelTrace> channels{};
  std::vector<ActorActivity> actors{};
  std::vector<std::vector<Culprit>> culprits{};  ///< sets, one of which the error is told of
};

/// "" if both say the same (culprits apart), otherwise the first thing that differs.
std::string difference(const Outcome& expected, const Outcome& actual, const Scenario& scenario);

}  // namespace isthmus::reference
