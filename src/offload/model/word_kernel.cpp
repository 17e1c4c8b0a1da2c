#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::offload {

void WordKernel::load(fabric::DeviceAddress from, std::span<std::byte> to) {
  regions[0].push({.at = from, .bytes = to.size()});
  while (!to.empty()) {
    const fabric::AxiBurst& burst = data[0].read_in_place();
    std::memcpy(to.data(), burst.data.data(), burst.bytes);
    to = to.subspan(burst.bytes);
  }
}

void WordKernel::begin_writing(fabric::DeviceAddress to, std::uint64_t bytes) {
  to_ = to;
  left_ = bytes;
}

void WordKernel::write(const Word& word) {
  std::memcpy(results_.data.data() + results_.bytes, word.bytes.data(), sizeof(Word));
  results_.bytes += static_cast<std::uint32_t>(sizeof(Word));
  if (results_.bytes == spec_.axi.first_burst(to_.byte, left_)) store();
}

void WordKernel::flush() {
  if (results_.bytes > 0) store();
}

void WordKernel::store() {
  work();
  left_ -= results_.bytes;
  fabric::AxiStore& to = stores[0].slot();
  to.channel = to_.channel;
  to.last = left_ == 0;
  to.write.address = to_.byte;
  copy(results_, to.write.burst);
  to_.byte += results_.bytes;
  results_.bytes = 0;
}

void WordKernel::work() {
  const Tick now = clock_.first_at_or_after(timer_.now().femtoseconds());
  timer_.wait_until(Time::fs(clock_.edge(now + std::exchange(cycles_, 0))));
}

void WordKernel::finish() {
  written[0].read();
  finished.push({});
}

}  // namespace isthmus::offload
