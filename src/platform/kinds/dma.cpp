#include <fmt/format.h>

#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

// The link moves whole words of 64 B, and so a descriptor ends with one, unless it is the last.
constexpr std::array kDmaKeys = std::to_array<Key>({
    {"rate", bandwidth, 0.001 * kGB, 1000 * kGB, "rate of one direction of the DMA engine's data path"},
    {"descriptor_size", bytes, 32, 256,
     "size of a descriptor in host memory, fetched over the link: two addresses and a length",
     kPowerOfTwo | kLessIsFaster},
    {"descriptor_payload", bytes, 64, kGiB, "most bytes that one descriptor moves", {.multiple_of = 64}},
    {"descriptors_in_flight", count, 1, 1024, "descriptors that an engine fetches ahead"},
    {"interrupt", cycles, 2, 1024,
     "cycles of the user clock from the end of a transfer or kernel to its message on the link"},
});

}  // namespace

const PartKind kDma{
    .section = "dma",
    .meaning = "the engine that moves data between host memory and the device's DRAM; each link has one",
    .keys = kDmaKeys};

fabric::DmaSpec dma_spec(const Section& dma, const Section& pcie) {
  const Bytes request = pcie.bytes("max_read_request");
  const Bytes descriptor = dma.bytes("descriptor_size");
  const Bytes buffer{request.count * pcie.count("tags")};
  if (descriptor > buffer)
    refuse(dma.place_of("descriptor_size"), dma.name_of("descriptor_size"),
           fmt::format("at most the {} B that {} and {} let the engine ask for", buffer.count,
                       pcie.name_of("max_read_request"), pcie.name_of("tags")),
           fmt::format("{} B", descriptor.count));
  return {.rate = dma.bandwidth("rate"),
          .descriptor_size = descriptor,
          .descriptor_payload = dma.bytes("descriptor_payload"),
          .descriptors_in_flight = dma.count("descriptors_in_flight"),
          .read_request = request,
          .read_buffer = buffer,
          .interrupt = dma.count("interrupt")};
}

}  // namespace isthmus::platform::kinds
