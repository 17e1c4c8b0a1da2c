#pragma once

#include <span>
#include <string>
#include <vector>

#include "flows/flow.hpp"

namespace isthmus::program {

/// The flows that there are, in the order in which they are preferred.
std::span<const Flow> all_flows();
std::vector<std::string> flow_names();

/// Throws Error with the nearest name where there is none of that name.
const Flow& flow_named(const std::string& name);

/// The names of those that take an application.
std::vector<std::string> flows_of(const ByteApplication& application);

}  // namespace isthmus::program
