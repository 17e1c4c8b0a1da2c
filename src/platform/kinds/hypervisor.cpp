#include <array>

#include "platform/kinds/kinds.hpp"

namespace isthmus::platform::kinds {
namespace {

using enum Quantity;

constexpr std::array kHypervisorKeys = std::to_array<Key>({
    {"enabled", flag, 0, 1, "whether each driver call and interrupt goes through a hypervisor"},
    {"cost", time, 0, 100 * ms, "time of one such passage through the hypervisor", kIfEnabled},
});

}  // namespace

const PartKind kHypervisor{
    .section = "hypervisor", .meaning = "the hypervisor under the host's system", .keys = kHypervisorKeys};

}  // namespace isthmus::platform::kinds
