#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kTranslationKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether circuits use addresses of a page table; else host addresses"},
    {"entries", count, 1, 1048576, "pages that the table holds, or that the host has for circuits", kIfEnabled},
    {"page", bytes, 4 * kKiB, kGiB, "one page of pinned memory", kIfEnabled | kPowerOfTwo},
    {"latency", cycles, 2, 1000, "cycles of the cache's clock from a circuit's request to the lookup in the cache",
     kIfEnabled},
    {"pageable", flag, 0, 1,
     "whether a circuit may use any page of a program, translated at first use; else it uses pinned pages, entered "
     "before it starts",
     kMayBeLeftOut},
    {"held", count, 1, 65536, "pageable pages whose translations are held: those used last", kMayBeLeftOut},
    {"walk_latency", time, ns, 100 * us,
     "time to find the translation of another page in the host's tables, during which no access passes", kMayBeLeftOut},
});

}  // namespace

const PartKind kTranslation{.section = "translation",
                            .meaning = "the FPGA's page table, through which circuits address the host's memory",
                            .keys = kTranslationKeys};

std::optional<fabric::PageTableSpec> page_table_spec(const Section& translation) {
  if (!translation.flag("enabled")) return {};
  return fabric::PageTableSpec{.entries = translation.count("entries"), .page = translation.bytes("page")};
}

std::optional<fabric::PageWalkSpec> page_walk_spec(const Section& translation) {
  if (!translation.flag("enabled") || !translation.has("pageable") || !translation.flag("pageable")) return {};
  return fabric::PageWalkSpec{.held = static_cast<std::size_t>(translation.count("held")),
                              .latency = translation.time("walk_latency")};
}

}  // namespace isthmus::platform::kinds
