#pragma once

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "native/ring.hpp"
#include "native/run.hpp"
#include "native/worker.hpp"

namespace isthmus::native {

/// Ends a run in which actors step for ever, but no token moves: Options::silence. A worker that stays inside one step
/// is at work, however long that takes.
class Silence {
 public:
  using Workers = std::vector<std::unique_ptr<Worker>>;
  using Rings = std::vector<std::unique_ptr<Ring>>;

  /// Watches until the run has stopped, if `seconds` is not 0. The other arguments outlive it.
  Silence(Run& run, double seconds, const Workers& workers, const Rings& rings);

 private:
  void watch(double seconds);
  bool anyone_at_work();
  bool any_moved();

  Run& run_;
  const Workers& workers_;
  const Rings& rings_;
  std::vector<int> turns_;
  std::vector<const std::byte*> places_;
  std::jthread thread_;
};

}  // namespace isthmus::native
