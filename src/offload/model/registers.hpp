#pragma once

#include "offload/model/specs.hpp"

namespace isthmus::offload::model {

/// What the first link promises: lanes * transfer rate, and what encoding and the largest completions leave of it.
/// Nothing where there is none.
std::optional<LinkRates> link_rates(const MachineSpec& machine);

/// What each link, its engine included, moves at most in a direction.
std::vector<Bandwidth> rates_of_links(const MachineSpec& machine);

/// How long `count` accesses to registers behind the link take a host thread: a machine of its own, a core at one end
/// and the registers at the other.
/// `spec` has a link and registers.
Time access_registers(const MachineSpec& spec, const RegisterAccess& access, int count, const RunOrder& order);

}  // namespace isthmus::offload::model
