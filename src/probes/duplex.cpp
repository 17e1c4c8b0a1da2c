#include <algorithm>
#include <array>

#include "isthmus/base/interrupt.hpp"
#include "isthmus/probes/copy.hpp"
#include "probes/host_bytes.hpp"

namespace isthmus::probes {
namespace {

using offload::Call;

/// One direction: a host thread with its queue, buffer and memory, and when its copies began and ended.
class OneWayCopies {
 public:
  OneWayCopies(offload::Device& device, Direction direction, Bytes size)
      : direction_(direction), buffer_(device.allocate(size)), memory_(device, size, true), queue_(device.queue()) {
    memory_.fill();
  }

  /// Both directions leave for each copy together: each tells the other that it is ready. Nothing else is copied here:
  /// it would share the link with the other direction's last copy.
  void run(offload::Host& host, offload::Mailbox& ready, offload::Mailbox& other, int samples) {
    begins.clear();
    ends.clear();
    if (!last_) {
      last_ = host.write(*queue_, buffer_, memory_.span(), Call::blocking);
      if (direction_ == Direction::to_host) memory_.forget();
    }
    for (int i = 0; i < samples; ++i) {
      stop_if_interrupted();
      host.put(ready, last_);
      host.take(other);
      begins.push_back(host.now());
      last_ = copy(host);
      ends.push_back(host.now());
    }
  }

  void require_unchanged(offload::Host& host) {
    if (direction_ == Direction::to_device) {
      memory_.forget();
      host.read(*queue_, buffer_, memory_.span(), Call::blocking);
    }
    memory_.require_filled();
  }

  std::vector<Time> begins;
  std::vector<Time> ends;

 private:
  offload::Event copy(offload::Host& host) {
    return direction_ == Direction::to_device ? host.write(*queue_, buffer_, memory_.span(), Call::blocking)
                                              : host.read(*queue_, buffer_, memory_.span(), Call::blocking);
  }

  Direction direction_;
  offload::Buffer buffer_;
  HostBytes memory_;
  std::unique_ptr<offload::Queue> queue_;
  offload::Event last_;
};

class Duplex final : public Sampler {
 public:
  Duplex(offload::Device& device, Bytes size)
      : device_(device),
        ways_{OneWayCopies(device, Direction::to_device, size), OneWayCopies(device, Direction::to_host, size)} {}

  std::vector<Time> take(int samples) override {
    const auto to_device = device_.mailbox(1);
    const auto to_host = device_.mailbox(1);
    const int untimed = device_.properties().modelled ? 0 : 1;
    const int count = untimed + samples;
    device_.run({{"to device", [&](offload::Host& host) { ways_[0].run(host, *to_device, *to_host, count); }},
                 {"to host", [&](offload::Host& host) { ways_[1].run(host, *to_host, *to_device, count); }}});
    std::vector<Time> times;
    for (auto i = static_cast<std::size_t>(untimed); i < ways_[0].begins.size(); ++i)
      times.push_back(std::max(ways_[0].ends[i], ways_[1].ends[i]) - std::min(ways_[0].begins[i], ways_[1].begins[i]));
    return times;
  }

  void check() override {
    device_.run({{"probe", [&](offload::Host& host) {
                    for (OneWayCopies& way : ways_) way.require_unchanged(host);
                  }}});
  }

 private:
  offload::Device& device_;
  std::array<OneWayCopies, 2> ways_;
};

}  // namespace

std::unique_ptr<Sampler> duplex_copies(offload::Device& device, Bytes size) {
  return std::make_unique<Duplex>(device, size);
}

}  // namespace isthmus::probes
