#include "isthmus/fabric/axi.hpp"

#include <algorithm>
#include <cstring>

namespace isthmus::fabric {

Time AxiSpec::beats(std::uint64_t bytes) const {
  const auto beat = static_cast<std::uint64_t>(width.count);
  const std::uint64_t count = (bytes + beat - 1) / beat;
  const Time path = Time::seconds(static_cast<double>(count) / clock.hertz());
  if (!master_rate) return path;
  return std::max(path, transfer_time({static_cast<std::int64_t>(bytes)}, *master_rate));
}

std::uint32_t AxiSpec::first_burst(std::uint64_t address, std::uint64_t bytes) const {
  const auto longest = static_cast<std::uint64_t>(burst.count);
  return static_cast<std::uint32_t>(std::min(longest - address % longest, bytes));
}

void copy(const AxiBurst& from, AxiBurst& to) {
  to.bytes = from.bytes;
  std::memcpy(to.data.data(), from.data.data(), from.bytes);
}

void copy(const AxiStore& from, AxiStore& to) {
  to.channel = from.channel;
  to.last = from.last;
  to.write.address = from.write.address;
  copy(from.write.burst, to.write.burst);
}

}  // namespace isthmus::fabric
