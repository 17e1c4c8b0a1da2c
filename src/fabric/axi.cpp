#include "isthmus/fabric/axi.hpp"

namespace isthmus::fabric {

Time AxiSpec::beats(std::uint32_t bytes) const {
  const auto count = (bytes + width.count - 1) / width.count;
  return Time::seconds(static_cast<double>(count) / clock.hertz());
}

}  // namespace isthmus::fabric
