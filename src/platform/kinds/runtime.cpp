#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array<std::string_view, 2> kStagings = {"none", "chunked"};

constexpr std::array kRuntimeKeys = std::to_array<Key>({
    {"staging",
     text,
     0,
     0,
     "how a transfer from or to pageable memory passes pinned memory: as a whole (none), or chunk by chunk, one being "
     "copied while the last is on the wire (chunked)",
     {.choices = kStagings}},
    {"chunk", bytes, 4 * kKiB, kGiB,
     "size of a chunk, a multiple of dma.descriptor_payload; the runtime keeps pinned memory for two chunks",
     kFasterEitherWay},
});

}  // namespace

const PartKind kRuntime{.section = "host.runtime",
                        .meaning = "how the runtime moves data between pageable memory and the device",
                        .keys = kRuntimeKeys};

}  // namespace isthmus::platform::kinds
