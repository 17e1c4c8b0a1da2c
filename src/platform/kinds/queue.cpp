#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

constexpr std::array kQueueKeys = std::to_array<Key>({
    {"depth", Quantity::count, 1, 64, "lines that may wait for each channel, reads and writes each", kFasterEitherWay},
});

}  // namespace

const PartKind kQueue{.section = "queue",
                      .meaning = "a circuit's requests before the channels, where there are several",
                      .keys = kQueueKeys};

}  // namespace isthmus::platform::kinds
