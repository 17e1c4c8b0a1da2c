#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kDmaKeys = std::to_array<Key>({
    {"rate", bandwidth, 0.001 * kGB, 1000 * kGB, "what one direction of the DMA engine's data path moves"},
    {"descriptor_size",
     bytes,
     32,
     256,
     "one descriptor in host memory, fetched over the link: two addresses and a length",
     {.power_of_two = true, .faster = Faster::less}},
    {"descriptor_payload", bytes, 64, kGiB, "most that one descriptor moves"},
    {"descriptors_in_flight", count, 1, 1024, "descriptors that an engine fetches ahead"},
    {"interrupt", cycles, 2, 1024,
     "cycles of the user clock from the end of a transfer or kernel to its message on the link"},
});

}  // namespace

const PartKind kDma{.name = "dma",
                    .section = "dma",
                    .meaning = "the engine that moves data between host memory and the device's DRAM",
                    .keys = kDmaKeys};

}  // namespace isthmus::platform::kinds

namespace isthmus::platform {

fabric::DmaSpec dma_spec(const Section& dma, const Section& pcie) {
  const Bytes request = pcie.bytes("max_read_request");
  return {.rate = dma.bandwidth("rate"),
          .descriptor_size = dma.bytes("descriptor_size"),
          .descriptor_payload = dma.bytes("descriptor_payload"),
          .descriptors_in_flight = static_cast<int>(dma.count("descriptors_in_flight")),
          .read_request = request,
          .read_buffer = {request.count * pcie.count("tags")},
          .interrupt = static_cast<int>(dma.count("interrupt"))};
}

}  // namespace isthmus::platform
