#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isthmus/fabric/pcie_link.hpp"

namespace isthmus::fabric {

/// What a device does over a link, a number of requests one after the other, which lie behind each other in a region
/// for reads and one for writes.
struct Traffic {
  int reads = 0;
  int writes = 0;
  int read_words = 16;  ///< of each request, 1..255
  int write_words = 16;
  std::uint64_t seed = 1;  ///< of the bytes in host memory and of those written
  int gap_words = 0;       ///< between a request's words and the next's
};

/// What came of it. Bandwidths are of payload, from the start to the last word.
struct LinkRun {
  RunReport report;
  Time first_word;  ///< of a read, from its request
  double read_gbps = 0;
  double write_gbps = 0;
  bool read_back_right = false;  ///< every word read is the one that host memory held
  bool written_right = false;    ///< host memory holds every word written
  Credits up_credits;            ///< of the lane to the host, once all is at rest
  Credits up_kept;               ///< of the same, taken by the host and not yet returned
  std::size_t tags_at_rest = 0;
  std::uint64_t up_wire_bytes = 0;
  std::uint64_t down_wire_bytes = 0;
  LinkErrors up_errors;
  LinkErrors down_errors;
};

/// A host memory so fast that it limits nothing.
inline constexpr HostMemorySpec kFastMemory{Bandwidth::gb_per_second(1000)};

/// `seed` is of the faults of the link.
LinkRun run_link(const PcieLinkSpec& spec, const Traffic& traffic, const HostMemorySpec& memory = kFastMemory,
                 std::uint64_t seed = 1);

struct LinkAndTraffic {
  PcieLinkSpec link;
  Traffic traffic;
};

/// Several links on one host, at the same time. The report of each is that of all.
std::vector<LinkRun> run_links(const std::vector<LinkAndTraffic>& links, const HostMemorySpec& memory = kFastMemory,
                               std::uint64_t seed = 1);

/// What of a link's bytes, credits and tags is not where it should be in the end; "" if all is.
std::string lost(const PcieLinkSpec& spec, const LinkRun& run);

/// The link of Amazon F1: generation 3, 16 lanes, 128-byte payloads.
PcieLinkSpec f1_link();

/// The same with enough under way to fill it: 64 tags.
PcieLinkSpec busy_link();

/// The same with a user clock of 2 GHz, at whose edges, 500 ps apart, words come: as fine as the times that are tested.
PcieLinkSpec fine_link();

}  // namespace isthmus::fabric
