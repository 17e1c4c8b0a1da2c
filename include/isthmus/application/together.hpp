#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isthmus/application/exchange.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/grain.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/shared/soc/buffers.hpp"

namespace isthmus::program {

/// The result of messages that cores of the host and a circuit worked on together.
struct Together {
  Time elapsed;                                      ///< time of all messages
  std::vector<Time> latencies{};                     ///< latency of each message
  std::vector<std::pair<std::string, Time>> stages;  ///< time of each stage, by its name
  std::vector<platform::Part> parts{};
  Time lasted{};  ///< time of the whole run, which the stages' shares refer to
  platform::Grain grain = platform::Grain::fine;
};

/// The request for a run: inputs come from the exchange, outputs go there.
struct TogetherJob {
  int count;  ///< messages
  platform::Grain grain;
  Exchange& messages;
  soc::Choice choice{};  ///< methods of the buffers that ports move, if the application has any
};

/// Runs messages of an application on a modelled board whose circuits share the host's memory, cores and circuit as the
/// application has them: for work that no kernel does alone.
using TogetherRun = std::function<Together(const platform::Description& board, const TogetherJob& job)>;

}  // namespace isthmus::program
