#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace isthmus::apps::traffic {

/// Transfers of a message that are alike.
struct Transfers {
  bool to_device;
  bool pinned;
  std::uint64_t bytes;  ///< bytes of each transfer
  std::uint64_t count;
};

/// Reads "to-device:pageable:8388608x2,to-host:pinned:4096x1"; throws Error "transfers: ..." where it says anything
/// else.
std::vector<Transfers> read_transfers(const std::string& text);

/// One side of a message: the buffers that hold it one after the other, in whole words.
struct Lying {
  std::vector<std::size_t> bytes{};
  std::vector<bool> pinned{};

  std::size_t all() const;
};
Lying side_of(const std::vector<Transfers>& transfers, bool to_device);

}  // namespace isthmus::apps::traffic
