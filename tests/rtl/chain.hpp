#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace isthmus::rtl {

/// The sum at which the suffix sum of stacc listing 1 stops.
inline constexpr int stop = 128;

/// What the outside does to source -> channel -> suffix sum -> channel -> sink.
struct Stimulus {
  std::vector<int> terms;         ///< the tokens, in order
  std::vector<int> earliest;      ///< for each token the cycle before which the source withholds it
  std::vector<bool> sink_stalls;  ///< for each cycle whether the sink takes nothing; later it never stalls
};

struct Event {
  std::int64_t cycle;
  int value;
  bool operator==(const Event&) const = default;
};

/// Every token that moved: the source's pushes, the suffix sum's pulls and pushes, the sink's pulls.
struct Trace {
  std::vector<Event> offered;
  std::vector<Event> pulled;
  std::vector<Event> pushed;
  std::vector<Event> taken;
  bool operator==(const Trace&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Event& event);
std::ostream& operator<<(std::ostream& out, const Trace& trace);
std::ostream& operator<<(std::ostream& out, const Stimulus& stimulus);

/// Steps and channels of docs/time.md read aloud, cycle by cycle.
Trace by_rule(const Stimulus& stimulus, std::size_t depth);

/// The SystemVerilog under Verilator; `depth` is 1, 2 or 16.
Trace by_rtl(const Stimulus& stimulus, std::size_t depth);

/// The channels on which the engine's tokens are watched: observing a channel takes it off its fastest path.
enum class Seen : std::uint8_t { at_the_ends, everywhere };

/// The engine's graph; at the ends alone `pulled` and `pushed` stay empty.
Trace by_engine(const Stimulus& stimulus, std::size_t depth, Seen seen);

/// A cycle by which every token has moved, whatever the depth.
std::int64_t last_cycle(const Stimulus& stimulus);

}  // namespace isthmus::rtl
