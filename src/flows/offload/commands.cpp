#include "flows/offload/commands.hpp"

#include <algorithm>
#include <utility>

namespace isthmus::program {
namespace {

using offload::Event;

constexpr const char* kIn = "host to device copy";
constexpr const char* kKernel = "kernel";
constexpr const char* kOut = "device to host copy";

Time total(const std::vector<Commands::OfMessage>& messages) {
  Time sum;
  for (const auto& events : messages)
    for (const Event& event : events) sum += event.span().length();
  return sum;
}

/// The time for which at least one of the spans lasts.
Time covered(std::vector<offload::Span> spans) {
  std::ranges::sort(spans, {}, &offload::Span::start);
  Time sum;
  Moment until;
  for (const offload::Span& span : spans) {
    sum += std::max(span.end, until) - std::max(span.start, until);
    until = std::max(span.end, until);
  }
  return sum;
}

Time computing(const Commands& commands) {
  std::vector<offload::Span> spans;
  for (const auto& launches : commands.kernel)
    for (const Event& launch : launches) spans.push_back(launch.computing());
  return covered(std::move(spans));
}

std::vector<std::vector<Step>> first_messages(const Commands& commands, Moment start) {
  std::vector<std::vector<Step>> messages;
  for (std::size_t i = 0; i < std::min<std::size_t>(commands.out.size(), kMessagesTold); ++i) {
    auto& steps = messages.emplace_back();
    const auto add = [&](const char* name, const Event& event) {
      const offload::Span span = event.span();
      steps.push_back({.name = name, .begin = span.start - start, .end = span.end - start});
    };
    for (const Event& event : commands.in[i]) add(kIn, event);
    for (const Event& event : commands.kernel[i]) add(kKernel, event);
    for (const Event& event : commands.out[i]) add(kOut, event);
  }
  return messages;
}

}  // namespace

FlowTimes times_of(const Commands& commands) {
  const Moment start = std::ranges::min(commands.enqueued);
  FlowTimes times{.elapsed = std::ranges::max(commands.ended) - start,
                  .stages = {{kIn, total(commands.in)}, {kKernel, total(commands.kernel)}, {kOut, total(commands.out)}},
                  .first = first_messages(commands, start),
                  .computing = computing(commands)};
  for (std::size_t i = 0; i < commands.ended.size(); ++i)
    times.latencies.push_back(commands.ended[i] - commands.enqueued[i]);
  for (const auto& launches : commands.kernel)
    for (const Event& launch : launches) times.launches.push_back(launch.span().end - start);
  return times;
}

Time waited(const Commands& commands) {
  Time all;
  for (std::size_t i = 0; i < commands.there.size(); ++i) all += commands.there[i] - commands.enqueued[i];
  return all;
}

Time under_way(const Commands& commands) {
  std::vector<offload::Span> spans;
  for (const auto* kind : {&commands.in, &commands.kernel, &commands.out})
    for (const auto& events : *kind)
      for (const Event& event : events) spans.push_back(event.span());
  return covered(std::move(spans));
}

}  // namespace isthmus::program
