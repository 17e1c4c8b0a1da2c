#include <array>

#include "isthmus/platform/specs.hpp"
#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kIommuKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether devices' addresses are translated"},
    {"entries",
     count,
     1,
     65536,
     "translations that the TLB of each link holds",
     {.when = "enabled", .power_of_two = true}},
    {"ways",
     count,
     1,
     1024,
     "TLB entries that may hold the translation of a page",
     {.when = "enabled", .power_of_two = true, .faster = Faster::either}},
    {"page",
     bytes,
     4 * kKiB,
     kGiB,
     "bytes that one translation covers: 4 KiB, or a superpage",
     {.when = "enabled", .power_of_two = true}},
    {"walks", count, 1, 1024, "walks of the page tables that each link has under way", kIfEnabled},
    {"walk_latency", time, ns, 100 * us,
     "time from a miss of the TLB to the translation, reads of host memory included", kIfEnabled},
});

constexpr std::array kIommuRelations = std::to_array<Relation>({
    {{"iommu", "ways"}, {"iommu", "entries"}},
});

}  // namespace

const PartKind kIommu{.name = "iommu",
                      .section = "host.iommu",
                      .meaning = "translation of devices' addresses, with the requests of a link in order",
                      .keys = kIommuKeys,
                      .relations = kIommuRelations};

}  // namespace isthmus::platform::kinds

namespace isthmus::platform {

fabric::IommuSpec iommu_spec(const Section& iommu) {
  const auto count = [&iommu](std::string_view key) { return static_cast<int>(iommu.count(key)); };
  return {.entries = count("entries"),
          .ways = count("ways"),
          .page = iommu.bytes("page"),
          .walks = count("walks"),
          .walk = iommu.time("walk_latency")};
}

}  // namespace isthmus::platform
