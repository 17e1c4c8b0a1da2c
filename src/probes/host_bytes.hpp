#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "isthmus/offload/device.hpp"

namespace isthmus::probes {

/// Bytes on the host, pinned or pageable, that are known without a second copy of them: a block that repeats at a
/// length which no burst, page or buffer has.
class HostBytes {
 public:
  HostBytes(offload::Device& device, std::size_t size, bool pinned);

  std::span<std::byte> span() { return bytes_; }

  void fill();
  /// Overwrites them, so that what is right afterwards has come back.
  void forget();
  /// Throws Error where they are not those of `fill`: what a copy brought back must be what went.
  void require_filled() const;

 private:
  std::optional<offload::PinnedBuffer> pinned_;
  std::unique_ptr<std::byte[]> pageable_;
  std::span<std::byte> bytes_;
};

}  // namespace isthmus::probes
