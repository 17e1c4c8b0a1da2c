#include <cstring>

#include "isthmus/fabric/dma.hpp"

namespace isthmus::fabric {

void DmaSend::step() {
  if (words_ == 0) begin_burst();
  send_word();
  if (words_ == 0 && left_ == 0 && order_.last) end();
}

void DmaSend::begin_burst() {
  if (left_ == 0) {
    order_ = orders.read();
    left_ = order_.bytes;
  }
  if (under_way_ == kUnderWay) confirm();
  const AxiBurst& burst = data.read_in_place();
  words_ = static_cast<std::uint32_t>((burst.bytes + kWordBytes - 1) / kWordBytes);
  next_ = burst.data.data();
  writes.push({.num = static_cast<std::uint8_t>(words_), .addr = order_.host + order_.bytes - left_});
  ++under_way_;
  left_ -= burst.bytes;
}

void DmaSend::send_word() {
  std::memcpy(words.slot().data.bytes.data(), next_, sizeof(Word));
  next_ += sizeof(Word);
  --words_;
}

/// Ends a transfer.
void DmaSend::end() {
  while (under_way_ > 0) confirm();
  transfers.push({});
}

void DmaSend::confirm() {
  written.read();
  --under_way_;
}

}  // namespace isthmus::fabric
