#pragma once

#include <optional>
#include <string>
#include <vector>

#include "application/run.hpp"
#include "isthmus/fabric/pcie_link.hpp"
#include "isthmus/platform/part.hpp"
#include "isthmus/stream/host_link.hpp"

namespace isthmus::program {

/// The names of the host's threads in a stream, in reports.
inline constexpr const char* kProducer = "producer thread";
inline constexpr const char* kConsumer = "consumer thread";

/// A modelled stream: a link, what moves buffers over it, and the application's actors at both ends.
struct StreamActors {
  const fabric::PcieLink& pcie;
  const HostLink& link;
  std::optional<ActorId> producer;  ///< none if messages come from storage
  std::optional<ActorId> drive;     ///< none if messages do not come from storage
  ActorId consumer;
  std::vector<ActorId> kernel;
  std::vector<platform::PartPlan> storage{};
  std::vector<platform::PartPlan> memory{};  ///< parts between the kernel and the device's memory
  std::vector<platform::PartPlan> host{};    ///< parts between the kernel and the link, for the kernel's own requests
};

/// The part that asks for reads or writes of host memory, a request at a time.
platform::PartPlan requests_part(const std::string& name, ActorId actor);

/// The reads that are under way, of whom `keys` say how many those may be.
platform::PartPlan requests_in_flight(const std::string& name, ActorId actor, std::vector<std::string> keys);

/// The parts of a modelled stream that can hold it up, in the order in which data pass them.
std::vector<platform::Part> parts_of_stream(const platform::Description& board, const RunReport& report,
                                            const StreamActors& stream);

/// The time for which each of its stages worked.
std::vector<Stage> stages_of_stream(const RunReport& report, const StreamActors& stream);

}  // namespace isthmus::program
