#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

constexpr std::array kVaKeys = std::to_array<Key>({
    {"round_robin", Quantity::flag, 0, 1,
     "whether requests over any channel go to each in turn; else to the one with the shortest queue, the coherent one "
     "on a tie",
     kFasterEitherWay},
});

}  // namespace

const PartKind kVa{.section = "va", .meaning = "the choice among channels of requests that name none", .keys = kVaKeys};

}  // namespace isthmus::platform::kinds
