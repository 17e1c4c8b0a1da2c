#include "isthmus/fabric/coherence/line_store.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <new>
#include <numeric>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

std::uint64_t sets_of(Bytes size, int ways, int line_bytes) {
  const std::int64_t set = static_cast<std::int64_t>(ways) * line_bytes;
  if (size.count < set)
    throw Error(fmt::format("a cache: expected at least {} B, a set of it, got {} B", set, size.count));
  return static_cast<std::uint64_t>(size.count / set);
}

}  // namespace

void LineStore::Free::operator()(std::byte* bytes) const {
  std::free(bytes);
}

LineStore::LineStore(Bytes size, int ways, int line_bytes, Random* random)
    : sets_(sets_of(size, ways, line_bytes)),
      mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
      in_set_(static_cast<std::size_t>(ways)),
      line_bytes_(static_cast<std::size_t>(line_bytes)),
      random_(random),
      ways_(sets_ * in_set_),
      data_(static_cast<std::byte*>(std::calloc(ways_.size(), line_bytes_))) {
  if (data_ == nullptr) throw std::bad_alloc();
}

LineStore::Way* LineStore::victim(std::uint64_t line) {
  Way* chosen = nullptr;
  std::uint64_t eligible = 0;
  for (Way& way : set_of(line)) {
    if (way.awaited) continue;
    if (way.state == LineState::invalid) return &way;
    ++eligible;
    const bool takes =
        random_ != nullptr ? random_->below(eligible) == 0 : chosen == nullptr || way.used < chosen->used;
    if (takes) chosen = &way;
  }
  return chosen;
}

Places::Places(std::size_t count) : free_(count) {
  std::iota(free_.rbegin(), free_.rend(), std::uint16_t{0});
}

}  // namespace isthmus::fabric
