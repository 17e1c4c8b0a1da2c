#include "engine/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isthmus::reference {
namespace {

int ports(const Scenario& scenario, std::size_t actor, std::size_t ChannelSpec::*end) {
  return static_cast<int>(std::count_if(scenario.channels.begin(), scenario.channels.end(),
                                        [&](const auto& channel) { return channel.*end == actor; }));
}

std::string events(const std::vector<TokenEvent>& list, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < std::min(list.size(), from + 3); ++i)
    text += fmt::format(" {:x}@{}", list[i].value, list[i].time);
  return text.empty() ? " nothing more" : text;
}

std::string stream_difference(const std::string& what, const std::vector<TokenEvent>& expected,
                              const std::vector<TokenEvent>& actual) {
  if (expected == actual) return "";
  const auto at = static_cast<std::size_t>(
      std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end()).first - expected.begin());
  return fmt::format("{} number {} (value@fs): expected{}, got{}", what, at, events(expected, at), events(actual, at));
}

std::string text_of(const ActorActivity& activity) {
  const std::string finish = activity.finish ? std::to_string(*activity.finish) : "never";
  return fmt::format("busy {} starved {} blocked {} lifetime {} finish {}", activity.busy, activity.starved,
                     activity.blocked, activity.lifetime, finish);
}

}  // namespace

int Scenario::inputs(std::size_t actor) const {
  return ports(*this, actor, &ChannelSpec::reader);
}
int Scenario::outputs(std::size_t actor) const {
  return ports(*this, actor, &ChannelSpec::writer);
}

std::string name_of(const Scenario& scenario, const ChannelSpec& channel) {
  return fmt::format("{}.{} -> {}.{}", scenario.actors[channel.writer].name, channel.out,
                     scenario.actors[channel.reader].name, channel.in);
}

std::string name_of(End end) {
  static constexpr const char* kNames[] = {"finished", "limit", "stuck", "deadlock", "quiescent"};
  return kNames[static_cast<int>(end)];
}

std::string difference(const Outcome& expected, const Outcome& actual, const Scenario& scenario) {
  for (std::size_t c = 0; c < scenario.channels.size(); ++c) {
    const auto name = name_of(scenario, scenario.channels[c]);
    for (const auto& text :
         {stream_difference("push on " + name, expected.channels[c].pushes, actual.channels[c].pushes),
          stream_difference("pop on " + name, expected.channels[c].pops, actual.channels[c].pops)})
      if (!text.empty()) return text;
  }
  if (expected.end != actual.end || expected.time != actual.time)
    return fmt::format("expected {} at {} fs, got {} at {} fs", name_of(expected.end), expected.time,
                       name_of(actual.end), actual.time);
  for (std::size_t a = 0; a < scenario.actors.size(); ++a) {
    if (expected.actors[a] == actual.actors[a]) continue;
    const bool same_times = text_of(expected.actors[a]) == text_of(actual.actors[a]);
    return fmt::format("{}: expected {}, got {}", scenario.actors[a].name,
                       same_times ? "another last state" : text_of(expected.actors[a]), text_of(actual.actors[a]));
  }
  return "";
}

}  // namespace isthmus::reference
