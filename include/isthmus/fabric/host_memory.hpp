#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "isthmus/fabric/host_cache.hpp"
#include "isthmus/fabric/host_channels.hpp"
#include "isthmus/fabric/pcie.hpp"

/// The host behind its root ports: its parts as numbers, and what they ask of each other.
namespace isthmus::fabric {

/// The path from the links' socket to the memory's.
struct SocketLinkSpec {
  int hops = 1;
  Bandwidth rate;  ///< rate of data, each direction
  Time latency;    ///< time of a hop, there and back together

  Time round_trip() const { return Time::fs(latency.femtoseconds() * hops); }
};

struct IommuSpec {
  int entries;  ///< entries of the TLB
  int ways;     ///< ways of the TLB that a page may be in
  Bytes page;
  int walks;  ///< walks of the page tables under way
  Time walk;  ///< time from a miss to the translation, with the reads of host memory
};

struct HostMemorySpec {
  Bandwidth bandwidth;                          ///< bytes a second of all channels: transfer rate * width * channels
  Time latency = Time::ns(90);                  ///< time of an idle read, from the root complex and back to it
  std::optional<InterleaveSpec> interleave{};   ///< none: each access goes to all channels at once
  std::optional<SocketLinkSpec> socket_link{};  ///< if root ports and memory are on different sockets
  std::optional<IommuSpec> iommu{};             ///< IOMMU of each root port, if it is on
  std::optional<HostCacheSpec> cache{};
};

/// A root port's request to the host. A read whose data are more than one answer holds is several of these, one behind
/// the other: the host serves them together.
struct HostRequest {
  enum class Kind : std::uint8_t {
    write,
    read,
    message,  ///< message to host software, which then finds all earlier writes
    move,     ///< bytes that a core moves, without an address
  };
  Kind kind;
  bool more;               ///< whether the next request continues this read
  std::uint8_t packets;    ///< completions that end with the answer to a read
  std::uint16_t tag;       ///< tag of a read
  std::uint16_t bytes;     ///< bytes of this request
  std::uint16_t together;  ///< bytes of the whole read, in its first request
  std::uint16_t port;      ///< index of the link that gets the answer
  Dllps due;               ///< DLLPs that are due once the host has taken the request out of the receive buffer
  std::uint64_t addr;
  std::array<std::byte, kMostPayload> payload;  ///< data of a write, or the message
};

/// Copies the header and as much of the payload as there is.
inline void copy(const HostRequest& from, HostRequest& to) {
  std::memcpy(static_cast<void*>(&to), &from, offsetof(HostRequest, payload));
  if (from.kind != HostRequest::Kind::read) std::memcpy(to.payload.data(), from.payload.data(), from.bytes);
}

/// Data of a read, of which the first is there `latency` after this has come.
struct HostAnswer {
  Time latency;
  std::uint8_t packets;
  std::uint16_t tag;
  std::uint16_t bytes;
  std::uint64_t addr;
  std::array<std::byte, kMostPayload> payload;
};

inline void copy(const HostAnswer& from, HostAnswer& to) {
  std::memcpy(static_cast<void*>(&to), &from, offsetof(HostAnswer, payload));
  std::memcpy(to.payload.data(), from.payload.data(), from.bytes);
}

/// The answer to a core: the bytes that the core asked for are moved `latency` after this has come.
struct HostMoved {
  Time latency;
};

}  // namespace isthmus::fabric
