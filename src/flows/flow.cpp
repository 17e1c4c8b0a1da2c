#include "flows/flow.hpp"

namespace isthmus::program {

platform::Needs Flow::needs(const ByteApplication& application) const {
  if (between_copies != nullptr) return words.needs;
  return application.extras.buffers.empty() ? carries(application).needs : port_needs;
}

bool Flow::takes(const ByteApplication& application) const {
  const Extras& extras = application.extras;
  if (extras.memory && !device_memory) return false;
  if (extras.host && !host_memory) return false;
  if (extras.from_storage && !storage) return false;
  if (between_copies != nullptr) return extras.device.has_value();
  if (needs(application).empty()) return false;
  return application.kernel || (in_place && (extras.datapath || extras.together));
}

}  // namespace isthmus::program
