#include "isthmus/platform/part.hpp"

#include <algorithm>
#include <functional>

namespace isthmus::platform {

Part part_of(const std::string& name, const std::string& resource, const ActorReport& report) {
  return {.name = name,
          .resource = resource,
          .busy = report.busy,
          .starved = report.starved,
          .blocked = report.blocked,
          .lifetime = report.lifetime};
}

Bottleneck bottleneck(const std::vector<Part>& parts, Time elapsed) {
  std::vector<const Part*> order;
  order.reserve(parts.size());
  for (const Part& part : parts) order.push_back(&part);
  std::ranges::stable_sort(order, std::ranges::greater{}, &Part::busy);
  const auto share = [elapsed](const Part& part) { return part.busy.seconds() / elapsed.seconds(); };
  Bottleneck result;
  result.part = order[0]->name;
  result.busy_share = share(*order[0]);
  const auto next = std::ranges::find_if(
      order, [&order](const std::string& resource) { return resource != order[0]->resource; }, &Part::resource);
  if (next != order.end()) {
    result.next = (*next)->name;
    result.next_busy_share = share(**next);
    if ((*next)->busy > Time{}) result.would_need = order[0]->busy.seconds() / (*next)->busy.seconds();
  }
  return result;
}

}  // namespace isthmus::platform
