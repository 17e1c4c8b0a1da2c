#include "offload/model/workers.hpp"

#include <algorithm>
#include <functional>

namespace isthmus::offload::model {

std::size_t LinkLoads::best(const std::vector<std::size_t>& links, const Command& transfer) const {
  return *std::ranges::min_element(links, std::less{}, [&](std::size_t link) {
    const Load& load = loads_[link];
    return std::pair(takes(link, load.along(transfer.work) + transfer.bytes), takes(link, load.against(transfer.work)));
  });
}

void LinkLoads::begin(std::size_t link, const Command& transfer) {
  loads_[link].along(transfer.work) += transfer.bytes;
}

void LinkLoads::end(std::size_t link, const Command& transfer) {
  loads_[link].along(transfer.work) -= transfer.bytes;
}

Time LinkLoads::takes(std::size_t link, std::uint64_t bytes) const {
  return transfer_time({static_cast<std::int64_t>(bytes)}, rates_[link]);
}

}  // namespace isthmus::offload::model
