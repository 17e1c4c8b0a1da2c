#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isthmus/fabric/device_memory.hpp"
#include "isthmus/fabric/registers.hpp"
#include "offload/model/command.hpp"

namespace isthmus::offload::model {

/// Something that a machine does for a while: a command on the device, or a copy by a core of the host.
struct Activity {
  std::optional<DeviceWork> work{};  ///< of a command; none: a copy
  std::uint64_t bytes = 0;           ///< of a transfer or a copy
  fabric::DeviceAddress device{};    ///< of a transfer
  fabric::Unit unit{};               ///< that does a command
  fabric::KernelCall call{};         ///< of a launch
  Time from{};                       ///< when it begins, in the run or in a sample
};

/// Equal for those that take the same time on the same machine. Of a transfer's place in memory only the channel and
/// what lies before it in a page count.
using ActivityKey = std::vector<std::uint64_t>;
ActivityKey key_of(const Activity& activity);

Activity activity_of(const Command& command);
inline Activity copy_of(std::uint64_t bytes) {
  return {.bytes = bytes};
}

}  // namespace isthmus::offload::model
