#include "isthmus/fabric/registers.hpp"

#include <algorithm>
#include <cstring>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

constexpr std::uint64_t kUnitBytes = 4096;  // bytes of a unit's registers
constexpr std::uint64_t kLine = 64;

/// The line that starts a kernel.
struct KernelStart {
  std::array<std::uint64_t, 6> arguments;
  std::uint32_t columns;
  std::uint32_t rows;
};
static_assert(sizeof(KernelStart) <= kLine, "one store carries it");

using Arguments = std::array<std::uint64_t, kLine / sizeof(std::uint64_t)>;

template <class T>
MmioRequest store(Unit unit, std::uint64_t line, const T& content) {
  MmioRequest request{.kind = MmioRequest::Kind::store,
                      .bytes = sizeof(T),
                      .tag = 0,
                      .addr = unit * kUnitBytes + line * kLine,
                      .data = {}};
  std::memcpy(request.data.data(), &content, sizeof(T));
  return request;
}

template <class T>
T content(const std::array<std::byte, 64>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// `count` of the arguments from `first` on, as far as there are any.
template <std::size_t Count>
std::array<std::uint64_t, Count> some_of(const std::vector<std::uint64_t>& arguments, std::size_t first) {
  std::array<std::uint64_t, Count> some{};
  const std::size_t last = std::min(arguments.size(), first + Count);
  for (std::size_t i = first; i < last; ++i) some.at(i - first) = arguments[i];
  return some;
}

/// The contents of a store for the unit to whose page it goes.
KernelStore kernel_store(const MmioRequest& request) {
  return {.line = static_cast<std::uint32_t>(request.addr % kUnitBytes / kLine), .content = request.data};
}

constexpr std::size_t kInStart = std::tuple_size_v<decltype(KernelStart::arguments)>;
constexpr std::size_t kInLine = std::tuple_size_v<Arguments>;

}  // namespace

const std::size_t kMostArguments = kInStart + (kUnitBytes / kLine - 1) * kInLine;

std::vector<MmioRequest> doorbell(Unit unit, const DmaJob& job) {
  return {store(unit, 0, job)};
}

std::vector<MmioRequest> doorbell(Unit unit, const KernelCall& call) {
  std::vector<MmioRequest> stores;
  for (std::size_t at = kInStart; at < call.arguments.size(); at += kInLine)
    stores.push_back(store(unit, stores.size() + 1, some_of<kInLine>(call.arguments, at)));
  stores.push_back(store(
      unit, 0,
      KernelStart{.arguments = some_of<kInStart>(call.arguments, 0), .columns = call.columns, .rows = call.rows}));
  return stores;
}

std::vector<KernelStore> stores_of(const KernelCall& call) {
  std::vector<KernelStore> stores;
  for (const MmioRequest& request : doorbell(0, call)) stores.push_back(kernel_store(request));
  return stores;
}

KernelCall read_call(In<KernelStore>& stores) {
  KernelCall call;
  call.arguments.resize(kInStart);
  KernelStore store = stores.read();
  for (; store.line > 0; store = stores.read()) {
    const auto more = content<Arguments>(store.content);
    call.arguments.resize(kInStart + store.line * kInLine);
    std::ranges::copy(more, call.arguments.end() - kInLine);
  }
  const auto start = content<KernelStart>(store.content);
  std::ranges::copy(start.arguments, call.arguments.begin());
  call.columns = start.columns;
  call.rows = start.rows;
  return call;
}

DeviceRegisters::DeviceRegisters(std::size_t engine_count, std::size_t kernel_count)
    : engines(engine_count), kernels(kernel_count), units_(engine_count, kernel_count) {}

void DeviceRegisters::step() {
  const MmioRequest request = in.read();
  const auto unit = static_cast<Unit>(request.addr / kUnitBytes);
  if (unit >= units_.count()) throw Error("a store to a register that the device does not have");
  if (units_.is_kernel(unit)) {
    kernels[units_.kernel_of(unit)].push(kernel_store(request));
  } else {
    const std::size_t engine = units_.engine_of(unit);
    engines[engine].push({.to_device = unit == Units::to_device(engine), .job = content<DmaJob>(request.data)});
  }
}

DeviceInterrupts::DeviceInterrupts(std::size_t engines, std::size_t kernel_count)
    : to_device(engines), to_host(engines), kernels(kernel_count), units_(engines, kernel_count) {}

void DeviceInterrupts::step() {
  if (take(to_device, Units::to_device(0), 2) || take(to_host, Units::to_host(0), 2) ||
      take(kernels, units_.kernel(0), 1))
    return;
  const auto closed = [](auto& port) { return port.closed(); };
  finished_ = std::ranges::all_of(to_device, closed) && std::ranges::all_of(to_host, closed) &&
              std::ranges::all_of(kernels, closed);
}

/// Sends interrupts for the first of the ports at which a unit is done; their units are numbered from `first` on.
template <class Port>
bool DeviceInterrupts::take(PortArray<Port>& ports, Unit first, Unit stride) {
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (ports[i].pull()) {
      interrupt(static_cast<Unit>(first + i * stride));
      return true;
    }
  return false;
}

void DeviceInterrupts::interrupt(Unit unit) {
  DeviceMessage& message = out.slot();
  message.kind = DeviceMessage::Kind::interrupt;
  message.bytes = 4;  // the data of a message-signalled interrupt
  message.tag = unit;
}

}  // namespace isthmus::fabric
