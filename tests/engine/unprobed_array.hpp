#pragma once

namespace isthmus::reference {

/// Touches the lowest byte of a local array of 1 MiB and nothing above it: compiled as a library would be that knows
/// nothing of our stacks.
int lowest_of_unprobed_mebibyte();

}  // namespace isthmus::reference
