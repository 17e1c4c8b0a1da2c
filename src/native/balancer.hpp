#pragma once

#include <chrono>
#include <vector>

#include "native/balance.hpp"
#include "native/native_actor.hpp"
#include "native/run.hpp"

namespace isthmus::native {

/// Moves the actors of a run to where it goes fastest. Those that do little for a token stand best on one worker: to
/// hand a token to another core takes longer than such a step. How much an actor does is known once it has run, so
/// each placement is computed from what was counted, tried, and kept if more tokens moved than before.
class Balancer {
 public:
  Balancer(Run& run, std::vector<int> order, std::vector<int> fixed)
      : run_(run), order_(std::move(order)), fixed_(std::move(fixed)) {}

  void add(Worker& worker) { workers_.push_back(&worker); }
  void add(NativeActor& actor);
  void add(const Ring& ring) { rings_.push_back(&ring); }

  /// Returns when the run has stopped.
  void work();

  /// Where the actors go, each as soon as it stands between two steps.
  void send(const std::vector<int>& worker_of);
  const std::vector<int>& placement() const { return worker_of_; }
  int workers() const { return static_cast<int>(workers_.size()); }
  Run& run() const { return run_; }

 private:
  /// The counts of an interval of time.
  struct Observation {
    Load load;
    double tokens_per_s = 0;
  };

  bool observe(Observation& seen);
  bool told_enough(const std::vector<int>& turns_before) const;
  Load load() const;
  double pushed(const Ring& ring) const;
  bool try_better(const Observation& seen);
  bool settled();

  Run& run_;
  const std::vector<int> order_;
  const std::vector<int> fixed_;
  std::vector<Worker*> workers_;
  std::vector<NativeActor*> actors_;
  std::vector<const Ring*> rings_;
  std::vector<int> worker_of_;  ///< where the actors stand, or are about to
  int interval_ = 0;
  std::chrono::nanoseconds round_trip_;  ///< between cores, as far as trials have told
};

}  // namespace isthmus::native
