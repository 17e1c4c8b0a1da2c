#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isthmus/native.hpp"
#include "native/balancer.hpp"
#include "native/native_actor.hpp"
#include "native/ring.hpp"
#include "native/run.hpp"
#include "native/worker.hpp"

namespace isthmus::native {

/// A graph on workers.
class Runtime {
 public:
  /// Moves the actors of a run until it has stopped.
  using Mover = std::function<void(Balancer&)>;

  /// Without a `mover` a Balancer moves actors if `options` leave the number of workers open.
  Runtime(Graph& graph, const Options& options, Mover mover = nullptr);
  Report run();

 private:
  static void take(Graph& graph);
  void add_workers(const Options& options);
  void add_channels();
  void work_on_threads();
  void balance();
  Report report();

  Graph& graph_;
  Mover mover_;
  bool throw_on_error_;
  double silence_;
  std::vector<std::string> warnings_;
  std::vector<int> given_;    ///< worker of each actor as the user gave it, or -1
  std::vector<int> core_of_;  ///< core of each worker; empty: not pinned
  std::unique_ptr<Run> run_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<NativeActor>> actors_;
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace isthmus::native
