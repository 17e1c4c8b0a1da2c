#pragma once

#include <vector>

#include "apps/described/transfers.hpp"
#include "apps/described/work.hpp"
#include "isthmus/application/together.hpp"
#include "isthmus/base/units.hpp"
#include "isthmus/shared/soc/buffers.hpp"

/// A described application on a chip: a core writes what goes to the device into buffers that the ports move, calls the
/// circuit, and reads what comes back.
namespace isthmus::apps::traffic {

struct ChipMessage {
  std::vector<Transfers> transfers;
  Work work;
  Time host;  ///< time that the core computes before it writes
};

/// One buffer for all transfers that are alike, "transfer.N", and one for each side that stays with the circuit.
std::vector<soc::Buffer> buffers_of(const ChipMessage& message);

/// Its runs.
program::TogetherRun on_chip(const ChipMessage& message);

}  // namespace isthmus::apps::traffic
