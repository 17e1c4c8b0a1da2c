#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kIommuKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether devices' addresses are translated"},
    {"entries", count, 1, 65536, "translations that the TLB of each link holds", kIfEnabled | kPowerOfTwo},
    {"ways", count, 1, 1024, "TLB entries that may hold the translation of a page",
     kIfEnabled | kPowerOfTwo | kFasterEitherWay},
    {"page", bytes, 4 * kKiB, kGiB, "bytes that one translation covers: 4 KiB, or a superpage",
     kIfEnabled | kPowerOfTwo},
    {"walks", count, 1, 1024, "walks of the page tables that each link has under way", kIfEnabled},
    {"walk_latency", time, ns, 100 * us,
     "time from a miss of the TLB to the translation, reads of host memory included", kIfEnabled},
});

constexpr std::array kIommuRelations = std::to_array<Relation>({
    {{"iommu", "ways"}, {"iommu", "entries"}},
});

}  // namespace

const PartKind kIommu{.section = "host.iommu",
                      .meaning = "translation of devices' addresses, with the requests of a link in order",
                      .keys = kIommuKeys,
                      .relations = kIommuRelations};

fabric::IommuSpec iommu_spec(const Section& iommu) {
  return {.entries = iommu.count("entries"),
          .ways = iommu.count("ways"),
          .page = iommu.bytes("page"),
          .walks = iommu.count("walks"),
          .walk = iommu.time("walk_latency")};
}

}  // namespace isthmus::platform::kinds
