#pragma once

#include <string>
#include <vector>

#include "isthmus/platform/part.hpp"

namespace isthmus::program {

/// The names of the host's threads in a stream, in reports.
inline constexpr const char* kProducer = "producer thread";
inline constexpr const char* kConsumer = "consumer thread";

/// The parts of a modelled stream that can hold it up, in the order in which data pass them; `kernel` names the actors
/// of the application.
std::vector<platform::Part> parts_of_stream(const platform::Description& board, const RunReport& report,
                                            const std::vector<std::string>& kernel);

}  // namespace isthmus::program
