#include "offload/model/coarse/activity.hpp"

namespace isthmus::offload::model {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

ActivityKey key_of(const Activity& activity) {
  ActivityKey key{activity.work ? static_cast<std::uint64_t>(*activity.work) : kDeviceWorks,
                  activity.bytes,
                  activity.device.channel,
                  activity.device.byte % kPage,
                  activity.unit,
                  activity.call.columns,
                  activity.call.rows};
  key.insert(key.end(), activity.call.arguments.begin(), activity.call.arguments.end());
  return key;
}

Activity activity_of(const Command& command) {
  return {.work = command.work,
          .bytes = command.bytes,
          .device = command.device,
          .unit = command.unit,
          .call = command.call};
}

}  // namespace isthmus::offload::model
