#pragma once

#include <array>
#include <string_view>

#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/fabric/pcie.hpp"
#include "isthmus/platform/description.hpp"
#include "isthmus/platform/part.hpp"

namespace isthmus {
struct HostLinkSpec;
}
namespace isthmus::fabric {
struct PcieLink;
}

namespace isthmus::platform {

/// A link and the memory that it reaches in the host.
struct LinkSpec {
  fabric::PcieLinkSpec pcie;
  fabric::HostMemorySpec memory;
};

/// A link that ends in a host with such a memory. Throws Error where a round trip has no room for it.
fabric::PcieLinkSpec checked_link_spec(const Section& pcie, const fabric::HostMemorySpec& memory);

/// The specs of a board's only link. Throws Error where a round trip has no room for the memory.
LinkSpec link_spec(const Description& board);

/// The host link over a board's only link, on that one's user clock: its parts stream, mmio and cache.
HostLinkSpec host_link_spec(const Description& board);

/// The kinds of parts that a stream through a kernel needs.
inline constexpr std::array<std::string_view, 7> kStreamNeeds = {"pcie", "memory", "cores", "call",
                                                                 "mmio", "kernel", "stream"};

/// What allocating the pools of a host link costs (init_buf_pools): one call into the kernel and the pages, where a
/// rate is known.
Time pool_setup(const Description& board, const HostLinkSpec& spec);

/// A link in reports.
struct ToldLink {
  const fabric::PcieLink& link;
  std::string channel{};  ///< channel of the link; empty on a board with one link
};

/// The name of a part of a link: after its channel, if it has one.
std::string name_on_link(const std::string& channel, const std::string& part);

/// The plans as those of one link: named after its channel, with its keys; as they are where it has none.
std::vector<PartPlan> of_link(std::vector<PartPlan> plans, const std::string& channel);

/// The parts that a device's reads of host memory over one or several links pass, in their order, and those that its
/// writes pass. The host's that all of them share are there once.
std::vector<PartPlan> parts_of_reads(const std::vector<ToldLink>& links);
std::vector<PartPlan> parts_of_writes(const std::vector<ToldLink>& links);
/// The parts that reads and writes pass on the link itself, without those of the host.
std::vector<PartPlan> parts_of_link(const ToldLink& link);

}  // namespace isthmus::platform
