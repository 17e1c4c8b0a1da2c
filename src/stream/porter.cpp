#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/stream/host_link.hpp"
#include "registers.hpp"
#include "waits.hpp"

namespace isthmus {
namespace {

PoolEntry entry_of(const PooledBuffer& buffer) {
  return {.addr = buffer.addr, .bytes = buffer.bytes, .continues = buffer.continues};
}

const PooledBuffer& find(const std::vector<PooledBuffer>& pool, std::uint64_t addr) {
  const auto found = std::ranges::find(pool, addr, &PooledBuffer::addr);
  if (found == pool.end()) throw Error("host link: the FPGA handed over a buffer that is not of the pool");
  return *found;
}

}  // namespace

Porter::Porter(const HostLinkSpec& spec, std::vector<PooledBuffer> inputs, std::vector<PooledBuffer> outputs)
    : period_(spec.porter_period),
      store_(spec.mmio_store),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      waits_(std::make_unique<Waits>()) {}

Porter::~Porter() = default;

void Porter::step() {
  const Time round = timer_.now();
  if (!started_) {
    for (const auto& buffer : inputs_) free.push(buffer);
    started_ = true;
  }
  if (committed.closed() && released.closed()) {
    waits_->settle(round, waiting_);
    committed.read();  // ends the porter
  }
  move_to_device();
  move_from_device();
  waits_->settle(round, waiting_);
  timer_.wait(period_);
}

template <class T>
bool Porter::pull(In<T>& queue, T& entry) {
  if (!queue.pull(entry)) return false;
  waits_->add(queue.came(), timer_.now());
  return true;
}

void Porter::move_to_device() {
  for (PooledBuffer buffer; pull(committed, buffer);) {
    timer_.wait(store_);
    requests.push(store_to(Register::available_input, entry_of(buffer)));
  }
  for (PooledBuffer buffer; pull(released, buffer);) {
    timer_.wait(store_);
    buffer.bytes = buffer.capacity;
    requests.push(store_to(Register::free_output, entry_of(buffer)));
  }
}

void Porter::move_from_device() {
  const auto pop = [this](Register queue) {
    requests.push(load_from(queue));
    const auto entry = content<Optional<PoolEntry>>(replies.read());
    if (entry.there != 0) waits_->add(entry.came, timer_.now());
    return entry;
  };
  for (auto entry = pop(Register::freed_input); entry.there != 0; entry = pop(Register::freed_input))
    free.push(find(inputs_, entry.value.addr));
  for (auto entry = pop(Register::filled_output); entry.there != 0; entry = pop(Register::filled_output)) {
    PooledBuffer buffer = find(outputs_, entry.value.addr);
    buffer.bytes = entry.value.bytes;
    filled.push(buffer);
  }
}

void MmioSwitch::step() {
  for (std::size_t client = 0; client < requests.size(); ++client) {
    MmioRequest request;
    if (!requests[client].pull(request)) continue;
    request.tag = static_cast<std::uint16_t>(client);
    out.push(request);
  }
  DeviceMessage message;
  if (messages.pull(message)) {
    const bool interrupt = message.kind == DeviceMessage::Kind::interrupt;
    replies.at(interrupt ? 0 : message.tag).push(message);
  }
  if (requests[0].closed() && requests[1].closed()) requests[0].read();  // ends the switch
}

}  // namespace isthmus
