#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isthmus/stream.hpp"

namespace isthmus::apps::traffic {

/// Transfers of a message that are alike.
struct Transfers {
  bool to_device;
  bool pinned;
  std::uint64_t bytes;  ///< bytes of each transfer
  std::uint64_t count;
  bool written;          ///< whether cores write the bytes
  bool read;             ///< whether cores read the bytes
  bool in_order = true;  ///< whether cores do so in the order of addresses

  /// Bytes of a transfer in whole words.
  std::uint64_t whole() const { return (bytes + kWordBytes - 1) / kWordBytes * kWordBytes; }
  /// Bytes of all of them.
  std::uint64_t all() const { return whole() * count; }
};

/// Reads "to-device:pageable:8388608x2,to-host:pinned:4096x1:both:random"; throws Error "transfers: ..." where it says
/// anything else. What cores do with the bytes is `writes`, `reads` or `both`, in the order `sequential` or `random`;
/// by default they write what goes to the device and read what comes back, in sequence. They write the former and read
/// the latter in any case.
std::vector<Transfers> read_transfers(const std::string& text);

/// One side of a message: the buffers that hold it one after the other, in whole words.
struct Lying {
  std::vector<std::size_t> bytes{};
  std::vector<bool> pinned{};

  std::size_t all() const;
};
Lying side_of(const std::vector<Transfers>& transfers, bool to_device);

}  // namespace isthmus::apps::traffic
