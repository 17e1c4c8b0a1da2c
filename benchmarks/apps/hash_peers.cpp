#include "hash_peers.hpp"

#include <sys/mman.h>

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdlib>
#include <new>
#if __has_include(<absl/container/flat_hash_map.h>)
#include <absl/container/flat_hash_map.h>
#define ISTHMUS_HAS_ABSEIL
#endif

namespace isthmus::bench {
namespace {

constexpr std::uint64_t kLast = ~std::uint64_t{0};
constexpr std::size_t kUnderWay = 64;

std::uint64_t bucket_of(std::uint64_t key, std::uint64_t buckets) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{key * 0x9e3779b97f4a7c15U} * buckets) >> 64U);
}

/// The same large pages as our table has.
template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class Other>
  explicit HugePages(const HugePages<Other>&) {}
  T* allocate(std::size_t count) {
    constexpr std::size_t kPage = std::size_t{2} << 20U;
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const HugePages&) const = default;
};

using Element = std::pair<const std::uint64_t, std::uint64_t>;

template <class Held>
class MapOf final : public Map {
 public:
  explicit MapOf(std::span<const Entry> table) {
    map_.reserve(table.size());
    for (const Entry& entry : table) map_.emplace(entry.key, entry.value);
  }
  void look_up(std::span<const std::uint64_t> keys, std::span<std::uint64_t> values) const override {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto found = map_.find(keys[i]);
      values[i] = found == map_.end() ? 0 : found->second;
    }
  }

 private:
  Held map_;
};

}  // namespace

void look_up_prefetched(std::span<const Entry> table, std::uint64_t buckets, std::span<const std::uint64_t> keys,
                        std::span<std::uint64_t> values) {
  struct UnderWay {
    std::uint64_t key;
    const Entry* entry;
    std::size_t number;
  };
  std::array<UnderWay, kUnderWay> ring{};
  std::size_t next = 0;
  const auto begin = [&](UnderWay& slot) {
    if (next == keys.size()) {
      slot.entry = nullptr;
      return;
    }
    slot = {.key = keys[next], .entry = &table[bucket_of(keys[next], buckets)], .number = next};
    __builtin_prefetch(slot.entry);
    ++next;
  };
  for (UnderWay& slot : ring) begin(slot);
  for (std::size_t left = keys.size(); left > 0;) {
    for (UnderWay& slot : ring) {
      if (slot.entry == nullptr) continue;
      const Entry& entry = *slot.entry;
      if (entry.key != slot.key && entry.next != kLast) {
        slot.entry = &table[entry.next];
        __builtin_prefetch(slot.entry);
        continue;
      }
      values[slot.number] = entry.key == slot.key ? entry.value : 0;
      --left;
      begin(slot);
    }
  }
}

std::unique_ptr<Map> boost_map(std::span<const Entry> table) {
  using Held = boost::unordered_flat_map<std::uint64_t, std::uint64_t, boost::hash<std::uint64_t>,
                                         std::equal_to<std::uint64_t>, HugePages<Element>>;
  return std::make_unique<MapOf<Held>>(table);
}

std::unique_ptr<Map> abseil_map(std::span<const Entry> table) {
#ifdef ISTHMUS_HAS_ABSEIL
  using Held = absl::flat_hash_map<std::uint64_t, std::uint64_t, absl::Hash<std::uint64_t>,
                                   std::equal_to<std::uint64_t>, HugePages<Element>>;
  return std::make_unique<MapOf<Held>>(table);
#else
  return table.empty() ? nullptr : nullptr;
#endif
}

}  // namespace isthmus::bench
