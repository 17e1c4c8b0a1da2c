#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include "isthmus/base/cores.hpp"
#include "isthmus/base/interrupt.hpp"
#include "isthmus/base/worker.hpp"

namespace isthmus::probes {

/// Runs trials, each with the `bytes` that it moves and in a graph of its own, on as many threads as there are cores.
/// They are told in their order.
template <class Trial, class Run, class Tell>
void run_side_by_side(const std::vector<Trial>& trials, const Run& run, const Tell& tell) {
  struct Side {
    std::uint64_t bytes = 0;  ///< bytes that the trials of this point move
    std::uint64_t trials = 0;
    Worker worker{};
  };
  std::vector<std::invoke_result_t<Run, const Trial&>> results(trials.size());
  std::deque<Side> sides(Cores::here().all().size());
  std::vector<std::pair<Side*, std::uint64_t>> places;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Side& side = *std::ranges::min_element(sides, {}, &Side::bytes);
    side.bytes += trials[i].bytes;
    side.worker.add([&, i] {
      stop_if_interrupted();
      results[i] = run(trials[i]);
    });
    places.emplace_back(&side, ++side.trials);
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    places[i].first->worker.wait_for(places[i].second);
    tell(trials[i], results[i]);
  }
}

}  // namespace isthmus::probes
