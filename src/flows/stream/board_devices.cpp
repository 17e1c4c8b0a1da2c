#include "flows/stream/board_devices.hpp"

#include "flows/stream/configurer.hpp"
#include "isthmus/platform/link.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus::program {

bool reaches_link(const ByteApplication& application) {
  return application.extras.host || has_control(application);
}

BoardDevices::BoardDevices(Graph& graph, const platform::Description& board, const platform::BoardSpec& parts)
    : graph_(graph),
      board_(board),
      parts_(parts),
      cells_(platform::device_memory(parts_)),
      fpga_(graph, parts_, cells_) {}

HostLink& BoardDevices::add_host_link() {
  const HostLinkSpec spec = platform::host_link_spec(board_);
  auto& users = users_.emplace(graph_, pcie(), spec.device_clock);
  return link_.emplace(graph_, pcie(), spec, users);
}

void BoardDevices::offer(const Extras& extras, const Clock& clock, KernelEnds& ends) {
  if (extras.memory)
    ends.memory = &memory_.emplace(graph_, fpga_, platform::needed(parts_.memory), cells_, *extras.memory, clock);
  if (extras.host && users_) ends.host = &host_.emplace(graph_, *users_, board_, pcie(), *extras.host);
}

void BoardDevices::connect() {
  if (users_) users_->connect();
  if (memory_) fpga_.connect_memory();
}

void BoardDevices::finish() const {
  if (host_) host_->finish();
}

std::vector<platform::PartPlan> BoardDevices::memory_parts() const {
  return memory_ ? memory_->parts() : std::vector<platform::PartPlan>();
}

std::vector<platform::PartPlan> BoardDevices::host_parts() const {
  return host_ ? host_->parts() : std::vector<platform::PartPlan>();
}

}  // namespace isthmus::program
