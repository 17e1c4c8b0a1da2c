#include <verilated.h>

#include "SuffixSumDepth1.h"
#include "SuffixSumDepth16.h"
#include "SuffixSumDepth2.h"
#include "isthmus/base/error.hpp"
#include "rtl/chain.hpp"

namespace isthmus::rtl {
namespace {

/// Cycle k is what the combinational logic shows before rising edge k; cycle 0 is the first after reset.
template <class Model>
class Bench {
 public:
  explicit Bench(const Stimulus& stimulus) : stimulus_(stimulus) {
    model_.rst = 1;
    rising_edge();
    model_.rst = 0;
  }

  Trace run() {
    for (std::int64_t now = 0; now <= last_cycle(stimulus_); ++now) {
      drive(now);
      model_.eval();
      record(now);
      rising_edge();
    }
    model_.final();
    return std::move(trace_);
  }

 private:
  void rising_edge() {
    model_.clk = 1;
    model_.eval();
    model_.clk = 0;
    model_.eval();
  }

  void drive(std::int64_t now) {
    const std::size_t next = trace_.offered.size();
    const bool valid = next < stimulus_.terms.size() && now >= stimulus_.earliest[next];
    model_.source_valid = valid;
    model_.source_data = valid ? static_cast<std::uint32_t>(stimulus_.terms[next]) : withheld;
    const auto index = static_cast<std::size_t>(now);
    model_.sink_ready = index >= stimulus_.sink_stalls.size() || !stimulus_.sink_stalls[index];
  }

  void record(std::int64_t now) {
    const auto note = [now](std::vector<Event>& events, bool moved, std::uint32_t value) {
      if (moved) events.push_back({now, static_cast<int>(value)});
    };
    note(trace_.offered, model_.source_valid && model_.source_ready, model_.source_data);
    note(trace_.pulled, model_.pulls, model_.pulled);
    note(trace_.pushed, model_.pushes, model_.pushed);
    note(trace_.taken, model_.sink_valid && model_.sink_ready, model_.sink_data);
  }

  static constexpr std::uint32_t withheld = 0xdeadbeef;  // data without valid must change nothing

  const Stimulus& stimulus_;
  Trace trace_;
  VerilatedContext context_;
  Model model_{&context_, ""};
};

}  // namespace

Trace by_rtl(const Stimulus& stimulus, std::size_t depth) {
  switch (depth) {
    case 1:
      return Bench<SuffixSumDepth1>(stimulus).run();
    case 2:
      return Bench<SuffixSumDepth2>(stimulus).run();
    case 16:
      return Bench<SuffixSumDepth16>(stimulus).run();
    default:
      throw Error("by_rtl: depth: expected 1, 2 or 16, got " + std::to_string(depth));
  }
}

}  // namespace isthmus::rtl
