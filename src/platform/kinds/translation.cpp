#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kTranslationKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether circuits' addresses are those of a page table, else the host's"},
    {"entries", count, 1, 1048576, "pages that the table holds, all entered by the driver", {.when = "enabled"}},
    {"page", bytes, 4 * kKiB, kGiB, "one page of pinned memory", {.when = "enabled", .power_of_two = true}},
    {"latency",
     cycles,
     2,
     1000,
     "cycles of the cache's clock from a circuit's request to the lookup in the cache",
     {.when = "enabled"}},
});

}  // namespace

const PartKind kTranslation{.name = "translation",
                            .section = "translation",
                            .meaning = "the FPGA's page table, through which circuits address the host's memory",
                            .keys = kTranslationKeys};

}  // namespace isthmus::platform::kinds

namespace isthmus::platform {

std::optional<fabric::PageTableSpec> page_table_spec(const Section& translation) {
  if (!translation.flag("enabled")) return {};
  return fabric::PageTableSpec{.entries = translation.count("entries"), .page = translation.bytes("page")};
}

}  // namespace isthmus::platform
