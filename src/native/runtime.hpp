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

/// A graph as it stands on workers.
class Runtime {
 public:
  /// Moves the actors of a run until it has stopped.
  using Mover = std::function<void(Balancer&)>;

  /// Without a `mover` actors move where `options` leave the number of workers open.
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
  std::vector<int> given_;    ///< worker of an actor where the user says it, -1 elsewhere
  std::vector<int> core_of_;  ///< of each worker; empty: not pinned
  std::unique_ptr<Run> run_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<NativeActor>> actors_;
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace isthmus::native
