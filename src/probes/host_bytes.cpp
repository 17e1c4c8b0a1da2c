#include "probes/host_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::probes {
namespace {

/// A prime, so that bytes at a wrong address are wrong bytes.
constexpr std::size_t kBlock = 65521;

const std::array<std::byte, kBlock>& block() {
  static const auto bytes = [] {
    std::array<std::byte, kBlock> made{};
    for (std::size_t i = 0; i < kBlock; ++i) made.at(i) = static_cast<std::byte>((i * 131 + (i >> 8U) * 17) & 0xffU);
    return made;
  }();
  return bytes;
}

}  // namespace

HostBytes::HostBytes(offload::Device& device, std::size_t size, bool pinned) {
  if (pinned)
    pinned_ = device.pinned(size);
  else
    pageable_ = std::make_unique_for_overwrite<std::byte[]>(size);
  bytes_ = pinned ? pinned_->bytes() : std::span(pageable_.get(), size);
}

void HostBytes::fill() {
  for (std::span<std::byte> rest = bytes_; !rest.empty(); rest = rest.subspan(std::min(kBlock, rest.size())))
    std::memcpy(rest.data(), block().data(), std::min(kBlock, rest.size()));
}

void HostBytes::forget() {
  std::ranges::fill(bytes_, std::byte{0xa5});
}

void HostBytes::require_filled() const {
  for (std::span<const std::byte> rest = bytes_; !rest.empty(); rest = rest.subspan(std::min(kBlock, rest.size())))
    if (std::memcmp(rest.data(), block().data(), std::min(kBlock, rest.size())) != 0)
      throw Error(fmt::format("a copy of {} bytes came back changed", bytes_.size()));
}

}  // namespace isthmus::probes
