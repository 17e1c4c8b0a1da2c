#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kQpiKeys = std::to_array<Key>({
    {"round_trip", time, 10 * ns, 100 * us,
     "from a miss of the FPGA's cache to its answer on an idle link, host memory included"},
    {"directory", flag, 0, 1,
     "whether the home knows which lines the FPGA's cache may have, so that cores wait for the link only for these",
     kMayBeLeftOut},
});

constexpr std::array kQpiRelations = std::to_array<Relation>({
    {{"memory", "latency"}, {"qpi", "round_trip"}},
});

}  // namespace

const PartKind kQpi{.section = "link.qpi",
                    .meaning = "a coherent link between the FPGA's cache and the host, as QPI or UPI",
                    .keys = kQpiKeys,
                    .relations = kQpiRelations,
                    .link = true,
                    .family = kCoherentLink};

}  // namespace isthmus::platform::kinds
