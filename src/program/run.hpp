#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isthmus/engine/trace.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/program/application.hpp"
#include "isthmus/stream/native.hpp"

namespace isthmus::program {

struct Job {
  int messages = 1;
  /// Called with the number of messages whose output has been compared with the reference.
  std::function<void(int)> progress{};
  StateObserver* states = nullptr;         ///< is told how the parts of a model spend the run
  std::string channel{};                   ///< the link of a model that messages go over; empty: its first
  int workers = 0;                         ///< threads of the target native; 0: as many as fit
  std::map<std::string, int> placement{};  ///< workers of its actors by name
  std::uint64_t schedule_seed = 0;         ///< of a model: see RunOptions; no result depends on it
  /// Seconds after which threads that move no token, but are in no long step either, are said to be dead.
  double silence = 10;
};

struct Stage {
  std::string name;
  Time time;
};

struct Result {
  Time setup;    ///< allocation of the pools
  Time elapsed;  ///< from the first acquire to the last output
  std::vector<Stage> stages;
  std::optional<Difference> difference;       ///< none if every byte of every message is right
  std::vector<platform::Part> parts;          ///< of a model, in the order in which data pass them
  Time lasted;                                ///< of a model: the whole run, of which the shares of its stages are
  std::vector<native::WorkerReport> workers;  ///< of threads: which actors each of them ran
};

/// Throws Error where a message is not a multiple of 64 bytes, or none.
void check(const ByteApplication& application);

/// Runs the application on a modelled board, in virtual time. Throws Error where a message is larger than a buffer of
/// the link, or the graph ends in an error.
Result run_on_model(const ByteApplication& application, const platform::Description& platform, const Job& job);

/// Runs it on this machine's threads. Outputs are compared after a batch of messages has run, so that it takes none of
/// the measured time.
Result run_native(const ByteApplication& application, const Job& job);

}  // namespace isthmus::program
