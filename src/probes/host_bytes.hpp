#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/offload/device.hpp"

namespace isthmus::probes {

/// Bytes on the host, pinned or pageable, that are no two neighbouring words' same.
class HostBytes {
 public:
  HostBytes(offload::Device& device, Bytes size, bool pinned) {
    if (pinned) pinned_ = device.pin(size);
    if (!pinned) pageable_.resize(static_cast<std::size_t>(size.count));
  }

  std::span<std::byte> span() { return pinned_ ? pinned_->bytes() : std::span<std::byte>(pageable_); }

  void fill() {
    const std::span<std::byte> bytes = span();
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>((i * 131 + (i >> 8U) * 17) & 0xffU);
  }

 private:
  std::unique_ptr<offload::PinnedBuffer> pinned_;
  std::vector<std::byte> pageable_;
};

/// Throws Error where they differ: what a copy brought back must be what went.
void require_same(std::span<const std::byte> sent, std::span<const std::byte> received);

}  // namespace isthmus::probes
