#include <algorithm>
#include <array>

#include "isthmus/base/interrupt.hpp"
#include "isthmus/probes/copy.hpp"
#include "probes/host_bytes.hpp"

namespace isthmus::probes {
namespace {

using offload::Call;

/// One direction: a host thread with its queue, buffer and memory, and when its copies began and ended.
class Way {
 public:
  Way(offload::Device& device, Direction direction, Bytes size)
      : direction_(direction), buffer_(device.allocate(size)), memory_(device, size, true), queue_(device.queue()) {
    memory_.fill();
    copied_.resize(memory_.span().size());
  }

  /// Both directions leave for each copy together: each tells the other that it is ready.
  void run(offload::Host& host, offload::Mailbox& ready, offload::Mailbox& other, int samples) {
    offload::Event last = host.write(*queue_, *buffer_, memory_.span(), Call::blocking);
    for (int i = 0; i < samples; ++i) {
      stop_if_interrupted();
      host.put(ready, last);
      host.take(other);
      begins.push_back(host.now());
      last = copy(host);
      ends.push_back(host.now());
    }
    host.read(*queue_, *buffer_, copied_, Call::blocking);
  }

  void require_unchanged() { require_same(memory_.span(), copied_); }

  std::vector<Time> begins;
  std::vector<Time> ends;

 private:
  offload::Event copy(offload::Host& host) {
    return direction_ == Direction::to_device ? host.write(*queue_, *buffer_, memory_.span(), Call::blocking)
                                              : host.read(*queue_, *buffer_, memory_.span(), Call::blocking);
  }

  Direction direction_;
  std::unique_ptr<offload::Buffer> buffer_;
  HostBytes memory_;
  std::vector<std::byte> copied_;
  std::unique_ptr<offload::Queue> queue_;
};

}  // namespace

std::vector<Time> time_duplex(offload::Device& device, Bytes size, int samples) {
  std::array<Way, 2> ways{Way(device, Direction::to_device, size), Way(device, Direction::to_host, size)};
  const auto to_device_ready = device.mailbox(1);
  const auto to_host_ready = device.mailbox(1);
  const int untimed = device.info().modelled ? 0 : 1;
  device.run({{"to device",
               [&](offload::Host& host) { ways[0].run(host, *to_device_ready, *to_host_ready, untimed + samples); }},
              {"to host",
               [&](offload::Host& host) { ways[1].run(host, *to_host_ready, *to_device_ready, untimed + samples); }}});
  for (Way& way : ways) way.require_unchanged();
  std::vector<Time> times;
  for (auto i = static_cast<std::size_t>(untimed); i < ways[0].begins.size(); ++i)
    times.push_back(std::max(ways[0].ends[i], ways[1].ends[i]) - std::min(ways[0].begins[i], ways[1].begins[i]));
  return times;
}

}  // namespace isthmus::probes
