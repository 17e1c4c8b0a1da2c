#include "isthmus/stream/device_link.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "gap.hpp"
#include "isthmus/base/error.hpp"
#include "registers.hpp"

namespace isthmus {
void DeviceRegisters::step() {
  if (!outputs_.empty()) {
    for (const auto& entry : outputs_) free_outputs.push(entry);
    outputs_.clear();
  }
  const MmioRequest request = mmio.read();
  if (request.kind == MmioRequest::Kind::store)
    take(request);
  else
    replies.push(answer(request));
}

void DeviceRegisters::take(const MmioRequest& store) {
  switch (static_cast<Register>(store.addr)) {
    case Register::available_input:
      return available_inputs.push(content<PoolEntry>(store));
    case Register::free_output:
      return free_outputs.push(content<PoolEntry>(store));
    case Register::to_kernel:
      return to_kernel.push(content<std::uint32_t>(store));
    default:
      throw Error("host link: a store to a register that is only loaded");
  }
}

DeviceMessage DeviceRegisters::answer(const MmioRequest& load) {
  DeviceMessage message{.kind = DeviceMessage::Kind::reply, .bytes = load.bytes, .tag = load.tag, .data = {}};
  const auto pop = [&message]<class T>(In<T>& queue) {
    Optional<T> entry{};
    static_assert(sizeof(entry) <= kLoadBytes);
    if (queue.pull(entry.value)) {
      entry.there = 1;
      entry.came = queue.came();
    }
    std::memcpy(message.data.data(), &entry, sizeof(entry));
  };
  switch (static_cast<Register>(load.addr)) {
    case Register::freed_input:
      pop(freed_inputs);
      break;
    case Register::filled_output:
      pop(filled_outputs);
      break;
    case Register::from_kernel:
      pop(from_kernel);
      break;
    default:
      throw Error("host link: a load of a register that is only stored to");
  }
  return message;
}

void InputSplitter::step() {
  const PoolEntry entry = available.read();
  order.push(entry);
  std::uint64_t addr = entry.addr;
  for (std::int64_t left = entry.bytes; left > 0;) {
    const std::int64_t bytes = std::min(left, request_);
    requests.push({.num = static_cast<std::uint8_t>(bytes / kWordBytes), .addr = addr});
    addr += static_cast<std::uint64_t>(bytes);
    left -= bytes;
  }
}

ReadHelper::ReadHelper(const RequestSpec& spec, Time period)
    : lambda_(spec.size * spec.in_flight),
      gap_(gap_time(spec.gap, period)),
      asked_(kBytesAskedFor, lambda_, Occupancy::with<std::identity{}>(consumed)) {}

void ReadHelper::step() {
  const PcieReadReq request = in.read();
  const std::int64_t bytes = request.num * kWordBytes;
  asked_.want(bytes);
  while (lambda_ < bytes) {
    lambda_ += consumed.read();
    asked_.came_back();
  }
  lambda_ -= bytes;
  asked_.take(bytes);
  out.push(request);
  pass(timer_, gap_);
}

void ReadBuffer::step() {
  if (left_ == 0) {
    entry_ = order.read();
    left_ = entry_.bytes;
  }
  const PcieReadResp word = in.read();
  left_ -= kWordBytes;
  taken_ += kWordBytes;
  StreamWord& to = out.slot();
  to.data = word.data;
  to.last = left_ == 0 && !entry_.continues;
  if (taken_ == request_ || left_ == 0) {
    consumed.push(static_cast<std::uint32_t>(taken_));
    taken_ = 0;
  }
  if (left_ == 0) freed.push(entry_);
}

WriteHelper::WriteHelper(const RequestSpec& spec, Time period, int buffers)
    : request_(spec.size), gap_(gap_time(spec.gap, period)), pool_(kOutputBuffers, buffers, Occupancy::stocked(free)) {}

void WriteHelper::step() {
  const StreamWord word = in.read();
  if (buffer_.bytes == 0) {
    buffer_ = free.read();
    pool_.came_back();
    pool_.take();
  }
  data.slot().data = word.data;
  gathered_ += kWordBytes;
  const bool full = filled_ + gathered_ == buffer_.bytes;
  if (gathered_ == request_ || full || word.last) end_request(full || word.last);
}

void WriteHelper::end_request(bool last) {
  requests.push({.num = static_cast<std::uint8_t>(gathered_ / kWordBytes),
                 .addr = buffer_.addr + static_cast<std::uint64_t>(filled_)});
  filled_ += std::exchange(gathered_, 0);
  records.push({.addr = buffer_.addr, .bytes = last ? static_cast<std::uint32_t>(filled_) : 0});
  if (last) {
    buffer_.bytes = 0;
    filled_ = 0;
  }
  pass(timer_, gap_);
}

void WriteTracker::step() {
  const WriteRecord record = records.read();
  writes_done.read();
  if (record.bytes > 0) filled.push(record);
}

}  // namespace isthmus
