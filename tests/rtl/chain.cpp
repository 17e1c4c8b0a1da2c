#include "rtl/chain.hpp"

#include <algorithm>
#include <string_view>

namespace isthmus::rtl {
namespace {

void print(std::ostream& out, std::string_view name, const std::vector<Event>& events) {
  out << "\n  " << name << ':';
  for (const Event& event : events) out << ' ' << event;
}

}  // namespace

std::int64_t last_cycle(const Stimulus& stimulus) {
  const int latest = stimulus.earliest.empty() ? 0 : std::ranges::max(stimulus.earliest);
  constexpr std::size_t cycles_per_token = 4;  // a depth of 1 takes 2, both channels and the start make it less than 4
  return latest +
         static_cast<std::int64_t>(stimulus.sink_stalls.size() + cycles_per_token * (stimulus.terms.size() + 2));
}

std::ostream& operator<<(std::ostream& out, const Event& event) {
  return out << event.value << '@' << event.cycle;
}

std::ostream& operator<<(std::ostream& out, const Trace& trace) {
  print(out, "offered", trace.offered);
  print(out, "pulled", trace.pulled);
  print(out, "pushed", trace.pushed);
  print(out, "taken", trace.taken);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Stimulus& stimulus) {
  out << "terms (not before cycle):";
  for (std::size_t i = 0; i < stimulus.terms.size(); ++i)
    out << ' ' << stimulus.terms[i] << '@' << stimulus.earliest[i];
  out << "\n  sink stalls: ";
  for (const bool stalls : stimulus.sink_stalls) out << (stalls ? 'x' : '.');
  return out;
}

}  // namespace isthmus::rtl
