#include "isthmus/fabric/iommu.hpp"

namespace isthmus::fabric {

Translations::Translations(const IommuSpec& spec)
    : page_bytes_(static_cast<std::uint64_t>(spec.page.count)),
      walk_(spec.walk),
      pages_(spec.entries / spec.ways, spec.ways),
      walkers_(spec.walks) {}

// The entry is taken when the walk begins, so that other accesses to the same page wait for the same walk.
Translations::Walk Translations::begin_walk(std::uint64_t page, Time came) {
  const Time room = walkers_.take();
  const Time begin = std::max(came, room);
  const Time end = begin + walk_;
  walkers_.give(end);
  pages_.put(page, {.from = end});
  return {.room = room, .begin = begin, .end = end};
}

void Iommu::step() {
  const HostRequest& request = in.read_in_place();
  if (request.kind != HostRequest::Kind::message)
    timer_.wait_until(translations_.translate(request.addr, in.came(), [this](const Translations::Walk& walk) {
      walks_.hold(walk.room, walk.begin, walk.end, 1);
    }));
  copy(request, out.slot());
}

}  // namespace isthmus::fabric
