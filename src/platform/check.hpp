#pragma once

#include <vector>

#include "isthmus/platform/section.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform {

/// Refuses a unit that the input's quantity does not take, or none where one is needed.
void check_unit(const Input& input, const Place& place);

/// Refuses a number that is not finite, not whole where it must be, or outside the key's or its own range, and a text
/// that is none of the key's.
void check_value(const Input& input, const Place& place);

/// Refuses a role that is unknown or lacks what it must say: a source, for an assumption a range and a reason.
void check_provenance(const Input& input, const Place& place);

/// Refuses parts of which one lacks a key, two are one too many or called the same, or two contradict each other.
void check_together(const std::vector<Section>& parts, Schema schema);

/// The text of a value in a message: "-4", "5.62 GB/s", "true".
std::string show(const Input& input);

/// All keys of these parts, for the nearest to one that is none.
std::vector<std::string> keys_of(const std::vector<Section>& parts);

}  // namespace isthmus::platform
