#include "isthmus/fabric/host_interconnect.hpp"

#include "isthmus/stream/all_closed.hpp"
#include "isthmus/stream/arbiter.hpp"

namespace isthmus::fabric {

HostInterconnect::HostInterconnect(const HostMemorySpec& spec, int links, int cores)
    : in((spec.socket_link ? 1 : links) + cores, "in"),
      dllps(spec.socket_link ? 0 : links, "dllps"),
      answers(links, "answers"),
      messages(links, "messages"),
      moved(cores, "moved"),
      latency_(spec.latency),
      first_core_(in.size() - moved.size()),
      channels_(spec.bandwidth, spec.interleave) {
  if (spec.cache) cache_.emplace(*spec.cache);
}

// If only one client is connected, the actor waits for it, which costs less than polling it again and again.
void HostInterconnect::step() {
  const auto client = in.size() == 1 ? std::optional<std::size_t>(0) : first_come(in);
  if (!client) {
    finished_ = all_closed(in);
    return;
  }
  serve(*client, in[*client].read_in_place());
}

void HostInterconnect::serve(std::size_t client, const HostRequest& request) {
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
void HostInterconnect::read(std::size_t client, const HostRequest& request) {
  const std::int64_t from_memory = cache_ ? cache_->read(request.addr, request.together) : request.together;
  const ChannelTimes times = channels_.move(timer_.now(), request.addr, from_memory);
  Time latency = times.moved + latency_;
  if (cache_) latency = from_memory == 0 ? cache_->hit() : times.waited + cache_->miss();
  answer(request, latency);
  for (bool more = request.more; more;) {
    const HostRequest& next = in[client].read_in_place();
    more = next.more;
    answer(next, latency);
  }
  timer_.wait(times.held);
}

void HostInterconnect::answer(const HostRequest& request, Time latency) {
  HostAnswer& answer = answers[request.port].slot();
  answer.latency = latency;
  answer.packets = request.packets;
  answer.tag = request.tag;
  answer.bytes = request.bytes;
  answer.addr = request.addr;
  std::memcpy(answer.payload.data(), memory_.at(request.addr, request.bytes), request.bytes);
}

// Lines that make way in the cache may lie anywhere.
void HostInterconnect::write(const HostRequest& request) {
  std::memcpy(memory_.at(request.addr, request.bytes), request.payload.data(), request.bytes);
  const Time now = timer_.now();
  const ChannelTimes times = cache_ ? channels_.spread(now, cache_->write(request.addr, request.bytes))
                                    : channels_.move(now, request.addr, request.bytes);
  timer_.wait(times.held);
}

void HostInterconnect::move(std::size_t core, const HostRequest& request) {
  const ChannelTimes times = channels_.spread(timer_.now(), request.together);
  moved[core].push({times.moved});
  timer_.wait(times.held);
}

}  // namespace isthmus::fabric
