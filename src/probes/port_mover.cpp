#include "probes/port_mover.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "probes/line_mover.hpp"

namespace isthmus::probes {

void PortMover::step() {
  const Time start = timer_.now();
  move_.to_fpga ? read() : write();
  elapsed_ = timer_.now() - start;
  finished_ = true;
}

void PortMover::read() {
  regions.push({.at = {.channel = 0, .byte = move_.address}, .bytes = move_.bytes});
  std::array<std::byte, fabric::kLongestAxiBurst> expected{};
  for (std::uint64_t at = 0; at < move_.bytes;) {
    const fabric::AxiBurst& burst = data.read_in_place();
    fill_line(at, move_.writer, std::span(expected).first(burst.bytes));
    if (std::memcmp(expected.data(), burst.data.data(), burst.bytes) != 0) ++wrong_;
    at += burst.bytes;
  }
}

void PortMover::write() {
  for (std::uint64_t at = 0; at < move_.bytes;) {
    const std::uint64_t address = move_.address + at;
    const std::uint64_t bytes = std::min(move_.bytes - at, move_.burst - address % move_.burst);
    fabric::AxiStore& store = stores.slot();
    store.channel = 0;
    store.last = at + bytes == move_.bytes;
    store.write.address = address;
    store.write.burst.bytes = static_cast<std::uint32_t>(bytes);
    fill_line(at, move_.writer, std::span(store.write.burst.data).first(bytes));
    at += bytes;
  }
  written.read();
}

}  // namespace isthmus::probes
