#include <cstring>

#include "isthmus/fabric/dma.hpp"

namespace isthmus::fabric {

void DmaSend::step() {
  const DmaOrder order = orders.read();
  for (std::uint32_t sent = 0; sent < order.bytes;) {
    const AxiBurst burst = data.read();
    send(burst, order.host + sent);
    sent += burst.bytes;
    if (written.pull()) --under_way_;
  }
  if (!order.last) return;
  for (; under_way_ > 0; --under_way_) written.read();
  transfers.push({});
}

void DmaSend::send(const AxiBurst& burst, std::uint64_t host) {
  const auto count = static_cast<std::size_t>((burst.bytes + kWordBytes - 1) / kWordBytes);
  writes.push({.num = static_cast<std::uint8_t>(count), .addr = host});
  ++under_way_;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(words.slot().data.bytes.data(), burst.data.data() + i * sizeof(Word), sizeof(Word));
}

}  // namespace isthmus::fabric
