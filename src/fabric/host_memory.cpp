#include "isthmus/fabric/host_memory.hpp"

#include <cmath>

#include "isthmus/stream/arbiter.hpp"

namespace isthmus::fabric {

HostMemory::HostMemory(const HostMemorySpec& spec, int links, int cores)
    : in((spec.socket_link ? 1 : links) + cores, "in"),
      dllps(spec.socket_link ? 0 : links, "dllps"),
      answers(links, "answers"),
      messages(links, "messages"),
      moved(cores, "moved"),
      latency_(spec.latency),
      byte_time_fs_(1e15 / spec.bandwidth.bytes_per_second),
      first_core_(in.size() - moved.size()) {
  if (spec.cache) cache_.emplace(*spec.cache);
}

// If only one client is connected, the memory waits for it, which costs less than polling it again and again.
void HostMemory::step() {
  const auto client = in.size() == 1 ? std::optional<std::size_t>(0) : first_come(in);
  if (!client) {
    finished_ = all_closed(in);
    return;
  }
  serve(*client, in[*client].read_in_place());
}

void HostMemory::serve(std::size_t client, const HostRequest& request) {
  if (request.due.count() > 0) dllps[client].push(request.due);
  switch (request.kind) {
    case HostRequest::Kind::read:
      return read(client, request);
    case HostRequest::Kind::write:
      return write(request);
    case HostRequest::Kind::message:
      std::memcpy(&messages[request.port].slot(), request.payload.data(), sizeof(DeviceMessage));
      return;
    case HostRequest::Kind::move:
      return move(client - first_core_, request);
  }
}

// The bytes are those at the instant at which the request is taken: requests that are taken later do not change them.
void HostMemory::read(std::size_t client, const HostRequest& request) {
  const std::int64_t from_memory = cache_ ? cache_->read(request.addr, request.together) : request.together;
  const Time busy = moving(from_memory);
  Time latency = busy + latency_;
  if (cache_) latency = from_memory == 0 ? cache_->hit() : cache_->miss();
  answer(request, latency);
  for (bool more = request.more; more;) {
    const HostRequest& next = in[client].read_in_place();
    more = next.more;
    answer(next, latency);
  }
  timer_.wait(busy);
}

void HostMemory::answer(const HostRequest& request, Time latency) {
  HostAnswer& answer = answers[request.port].slot();
  answer.latency = latency;
  answer.packets = request.packets;
  answer.tag = request.tag;
  answer.bytes = request.bytes;
  answer.addr = request.addr;
  std::memcpy(answer.payload.data(), memory_.at(request.addr, request.bytes), request.bytes);
}

void HostMemory::write(const HostRequest& request) {
  std::memcpy(memory_.at(request.addr, request.bytes), request.payload.data(), request.bytes);
  timer_.wait(moving(cache_ ? cache_->write(request.addr, request.bytes) : request.bytes));
}

void HostMemory::move(std::size_t core, const HostRequest& request) {
  const Time busy = moving(request.together);
  moved[core].push({busy});
  timer_.wait(busy);
}

Time HostMemory::moving(std::int64_t bytes) const {
  return Time::fs(std::llround(static_cast<double>(bytes) * byte_time_fs_));
}

}  // namespace isthmus::fabric
