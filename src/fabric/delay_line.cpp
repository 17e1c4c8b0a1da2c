#include "isthmus/fabric/delay_line.hpp"

#include <fmt/format.h>

#include <bit>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {

Entries::Entries(std::int64_t size) : count_(size) {
  if (size < 1) throw Error(fmt::format("entries: expected 1 or more, got {}", size));
  ring_.resize(std::bit_ceil(static_cast<std::size_t>(size)));
  ring_.front() = {.since = {}, .count = size};
}

Time Entries::take(std::int64_t amount) {
  Time since;
  count_ -= amount;
  while (amount > 0) {
    Free& first = record(0);
    since = first.since;
    const std::int64_t taken = std::min(amount, first.count);
    amount -= taken;
    first.count -= taken;
    if (first.count > 0) break;
    ++first_;
    --records_;
  }
  return since;
}

void Entries::give(Time at, std::int64_t amount) {
  count_ += amount;
  std::size_t place = records_++;
  for (; place > 0 && record(place - 1).since > at; --place) record(place) = record(place - 1);
  record(place) = {.since = at, .count = amount};
}

void check(const DelayLineSpec& spec) {
  if (!spec.in_order && spec.least <= Time{})
    throw Error(fmt::format("a delay line that is not in order: expected a least latency above 0, got {}",
                            to_string(spec.least)));
}

void check_latency(const DelayLineSpec& spec, Time latency) {
  if (latency < spec.least)
    throw Error(fmt::format("a delay line: expected a latency of at least {}, got {}", to_string(spec.least),
                            to_string(latency)));
}

}  // namespace isthmus::fabric
