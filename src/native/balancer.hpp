#pragma once

#include <chrono>
#include <vector>

#include "native/balance.hpp"
#include "native/native_actor.hpp"
#include "native/run.hpp"

namespace isthmus::native {

/// Moves the actors of a run to the workers on which it goes fastest. Actors that do little for a token belong on one
/// worker, because handing a token to another core takes longer than such a step. The work of an actor is known once it
/// has run. So the balancer computes each placement from counts, tries it, and keeps it if more tokens moved than
/// before.
class Balancer {
 public:
  Balancer(Run& run, std::vector<int> order, std::vector<int> fixed)
      : run_(run), order_(std::move(order)), fixed_(std::move(fixed)) {}

  void add(Worker& worker) { workers_.push_back(&worker); }
  void add(NativeActor& actor);
  void add(const Ring& ring) { rings_.push_back(&ring); }

  /// Returns when the run has stopped.
  void work();

  /// Sends each actor to its worker; the actor goes at its next step boundary.
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
  std::vector<int> worker_of_;  ///< the worker of each actor, now or soon
  int interval_ = 0;
  std::chrono::nanoseconds round_trip_;  ///< time of a round trip between cores, as far as trials have shown
};

}  // namespace isthmus::native
