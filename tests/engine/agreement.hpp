#pragma once

#include <functional>
#include <string>

#include "engine/scenario.hpp"

namespace isthmus::reference {

/// "" if reference and engine agree on the scenario, under shuffled scheduling and declaration too; otherwise what
/// differs.
std::string disagreement(const Scenario& scenario, std::uint64_t shuffle_seed);

/// What `work` returns when run in a process of its own, or how that process died; it is stopped after `seconds`.
/// `progress` gets the last text given to the function that `work` is handed.
using Report = std::function<void(const std::string&)>;
std::string isolated(const std::function<std::string(const Report&)>& work, unsigned seconds,
                     std::string* progress = nullptr);

}  // namespace isthmus::reference
