#include "apps/hash_lookup/kernel.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "apps/hash_lookup/table.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/offload/word_kernel.hpp"

namespace isthmus::apps {
namespace {

class HashLookupKernel : public offload::WordKernel {
 public:
  using WordKernel::WordKernel;

  /// One message: its keys into on-chip memory, a look-up after the other, their values out.
  void step() {
    const auto call = fabric::read_call(start);
    table_ = offload::address_argument(call.arguments[2]);
    buckets_ = static_cast<std::uint64_t>(offload::number_argument(call.arguments[3]));
    keys_.resize(static_cast<std::size_t>(offload::number_argument(call.arguments[4])));
    require_room();
    load(offload::address_argument(call.arguments[0]), std::as_writable_bytes(std::span(keys_)));
    for (Key& each : keys_) each = look_up(each);
    const std::span<const std::byte> values = std::as_bytes(std::span(keys_));
    begin_writing(offload::address_argument(call.arguments[1]), values.size());
    for (std::size_t at = 0; at < values.size(); at += kWordBytes) {
      Word word;
      std::memcpy(&word, values.data() + at, kWordBytes);
      write(word);
      cycle();
    }
    work();
    finish();
  }

 private:
  void require_room() const {
    const auto needed = static_cast<std::int64_t>(keys_.size() * sizeof(Key));
    if (needed > spec().onchip_capacity.count)
      throw Error(fmt::format("messages of {} look-ups: expected their {} B to fit the on-chip memory of {} B",
                              keys_.size(), needed, spec().onchip_capacity.count));
  }

  Value look_up(Key key) {
    for (std::uint64_t at = bucket_of(key, buckets_);;) {
      const TableEntry entry = read_entry(at);
      if (entry.key == key) return entry.value;
      if (entry.next == TableEntry::kLast) return kAbsent;
      at = entry.next;
    }
  }

  TableEntry read_entry(std::uint64_t at) {
    TableEntry entry;
    access_.take();
    load({.channel = table_.channel, .byte = table_.byte + at * sizeof(TableEntry)},
         std::as_writable_bytes(std::span(&entry, 1)));
    work();  // on to the kernel's clock
    access_.give();
    return entry;
  }

  fabric::DeviceAddress table_{};
  std::uint64_t buckets_ = 1;
  std::vector<Key> keys_;  ///< keys, replaced by their values
  Occupancy access_{offload::kKernelAccesses, 1};
};

}  // namespace

offload::KernelModel hash_lookup_kernel() {
  offload::KernelModel model = offload::kernel_model<HashLookupKernel>("hash_lookup");
  model.one_access = true;
  return model;
}

}  // namespace isthmus::apps
