#include "isthmus/fabric/host_cache.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

std::int64_t sets_of(const HostCacheSpec& spec) {
  const std::int64_t set = spec.line.count * spec.ways;
  if (spec.size.count < set)
    throw Error(fmt::format("a host's cache: expected at least {} B, a set of it, got {} B", set, spec.size.count));
  return spec.size.count / set;
}

/// Calls `what` with the number of each line that an access touches and how many of its bytes.
template <class F>
void for_lines(std::uint64_t addr, std::int64_t bytes, std::int64_t line_bytes, const F& what) {
  const auto size = static_cast<std::uint64_t>(line_bytes);
  const std::uint64_t end = addr + static_cast<std::uint64_t>(bytes);
  for (std::uint64_t at = addr; at < end;) {
    const std::uint64_t next = std::min(end, (at / size + 1) * size);
    what(at / size, static_cast<std::int64_t>(next - at));
    at = next;
  }
}

}  // namespace

HostCache::HostCache(const HostCacheSpec& spec) : spec_(spec), lines_(sets_of(spec), spec.ways) {}

std::int64_t HostCache::read(std::uint64_t addr, std::int64_t bytes) {
  std::int64_t missed = 0;
  for_lines(addr, bytes, spec_.line.count, [&](std::uint64_t line, std::int64_t touched) {
    if (lines_.find(line) == nullptr) missed += touched;
  });
  return missed;
}

std::int64_t HostCache::write(std::uint64_t addr, std::int64_t bytes) {
  std::int64_t moved = 0;
  for_lines(addr, bytes, spec_.line.count, [&](std::uint64_t line, std::int64_t) {
    if (lines_.find(line) != nullptr) return;
    const Line before = lines_.put(line, {.held = true}, static_cast<std::size_t>(spec_.write_ways));
    if (before.held) moved += spec_.line.count;
  });
  return moved;
}

}  // namespace isthmus::fabric
