#pragma once

#include <filesystem>
#include <vector>

#include "isthmus/platform/description.hpp"
#include "platform/refuse.hpp"

namespace isthmus::platform {

/// Refuses a unit that the input's kind does not take, or none where one is needed.
void check_unit(const Input& input, const Place& place);

/// Refuses a number that is not finite, not whole where it must be, or outside the key's or its own range.
void check_value(const Input& input, const Place& place);

/// Refuses a role that is unknown or lacks what it must say: a source, for an assumption a range and a reason.
void check_provenance(const Input& input, const Place& place);

/// Refuses inputs of which one is missing, or two contradict each other.
void check_together(const std::vector<Input>& inputs, const std::filesystem::path& file);

/// How a value reads in a message: "-4", "5.62 GB/s", "true".
std::string show(const Input& input);

}  // namespace isthmus::platform
