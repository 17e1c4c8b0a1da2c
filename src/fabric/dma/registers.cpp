#include <cstring>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/dma.hpp"

namespace isthmus::fabric {
namespace {

// Each unit has a page of registers of its own.
constexpr std::uint64_t kUnitRegisters = 4096;

template <class T>
MmioRequest store(Unit unit, const T& content) {
  MmioRequest request{.kind = MmioRequest::Kind::store,
                      .bytes = sizeof(T),
                      .tag = 0,
                      .addr = static_cast<std::uint64_t>(unit) * kUnitRegisters,
                      .data = {}};
  std::memcpy(request.data.data(), &content, sizeof(T));
  return request;
}

template <class T>
T content(const MmioRequest& request) {
  T value;
  std::memcpy(&value, request.data.data(), sizeof(T));
  return value;
}

}  // namespace

MmioRequest doorbell(Unit unit, const DmaJob& job) {
  return store(unit, job);
}

MmioRequest doorbell(const KernelStart& start) {
  return store(Unit::kernel, start);
}

void DeviceRegisters::step() {
  const MmioRequest request = in.read();
  switch (const auto unit = static_cast<Unit>(request.addr / kUnitRegisters)) {
    case Unit::to_device:
    case Unit::to_host:
      return dma.push({.direction = unit, .job = content<DmaJob>(request)});
    case Unit::kernel:
      return kernel.push(content<KernelStart>(request));
  }
  throw Error("a store to a register that the device does not have");
}

void DeviceInterrupts::step() {
  if (to_device.pull()) return interrupt(Unit::to_device);
  if (to_host.pull()) return interrupt(Unit::to_host);
  if (kernel.pull()) return interrupt(Unit::kernel);
  finished_ = to_device.closed() && to_host.closed() && kernel.closed();
}

void DeviceInterrupts::interrupt(Unit unit) {
  DeviceMessage& message = out.slot();
  message.kind = DeviceMessage::Kind::interrupt;
  message.bytes = 4;  // the data of a message-signalled interrupt
  message.tag = static_cast<std::uint16_t>(unit);
}

}  // namespace isthmus::fabric
