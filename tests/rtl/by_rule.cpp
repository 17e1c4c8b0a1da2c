#include <algorithm>

#include "rtl/chain.hpp"

namespace isthmus::rtl {
namespace {

/// A channel with L = F = 1 as a record of what moved when.
class LiteralChannel {
 public:
  explicit LiteralChannel(std::size_t depth) : depth_(depth) {}

  /// A slot popped at cycle j can be filled again from j + 1.
  bool has_slot(std::int64_t cycle) const {
    const auto freed = std::ranges::count_if(pops_, [&](std::int64_t popped) { return popped + 1 <= cycle; });
    return pushes_.size() - static_cast<std::size_t>(freed) < depth_;
  }

  /// A token pushed at cycle k is visible from k + 1.
  bool has_token(std::int64_t cycle) const {
    return pops_.size() < pushes_.size() && pushes_[pops_.size()].cycle + 1 <= cycle;
  }

  void push(std::int64_t cycle, int value) { pushes_.push_back({cycle, value}); }

  int pop(std::int64_t cycle) {
    pops_.push_back(cycle);
    return pushes_[pops_.size() - 1].value;
  }

 private:
  std::size_t depth_;
  std::vector<Event> pushes_;
  std::vector<std::int64_t> pops_;
};

struct LiteralSource {
  const Stimulus& stimulus;
  LiteralChannel& out;
  std::vector<Event>& offered;

  void cycle(std::int64_t now) {
    const std::size_t next = offered.size();
    if (next == stimulus.terms.size() || now < stimulus.earliest[next] || !out.has_slot(now)) return;
    out.push(now, stimulus.terms[next]);
    offered.push_back({now, stimulus.terms[next]});
  }
};

struct LiteralSum {
  LiteralChannel& in;
  LiteralChannel& out;
  Trace& trace;
  int sum = 0;
  bool blocked = false;

  void cycle(std::int64_t now) {
    if (!blocked) {
      if (sum >= stop || !in.has_token(now)) return;
      trace.pulled.push_back({now, in.pop(now)});
      sum += trace.pulled.back().value;
    }
    blocked = !out.has_slot(now);
    if (blocked) return;
    out.push(now, sum);
    trace.pushed.push_back({now, sum});
  }
};

struct LiteralSink {
  const Stimulus& stimulus;
  LiteralChannel& in;
  std::vector<Event>& taken;

  void cycle(std::int64_t now) {
    const auto index = static_cast<std::size_t>(now);
    const bool stalls = index < stimulus.sink_stalls.size() && stimulus.sink_stalls[index];
    if (!stalls && in.has_token(now)) taken.push_back({now, in.pop(now)});
  }
};

}  // namespace

Trace by_rule(const Stimulus& stimulus, std::size_t depth) {
  Trace trace;
  LiteralChannel terms(depth);
  LiteralChannel sums(depth);
  LiteralSource source{stimulus, terms, trace.offered};
  LiteralSum sum{terms, sums, trace};
  LiteralSink sink{stimulus, sums, trace.taken};
  for (std::int64_t now = 0; now <= last_cycle(stimulus); ++now) {
    source.cycle(now);
    sum.cycle(now);
    sink.cycle(now);
  }
  return trace;
}

}  // namespace isthmus::rtl
