#include <algorithm>
#include <array>

#include "isthmus/base/interrupt.hpp"
#include "isthmus/probes/copy.hpp"
#include "probes/host_bytes.hpp"

namespace isthmus::probes {
namespace {

/// One direction: a host thread with its queue, buffer and memory, and when its copies began and ended.
class OneWayCopies {
 public:
  OneWayCopies(offload::Device& device, Direction direction, Bytes size)
      : device_(device),
        direction_(direction),
        buffer_(device.buffer(static_cast<std::size_t>(size.count))),
        memory_(device, buffer_.size(), true),
        queue_(device.queue()) {
    memory_.fill();
  }

  /// Both directions leave for each copy together: each tells the other that it is ready. Nothing else is copied here:
  /// it would share the link with the other direction's last copy.
  void run(offload::Mailbox& ready, offload::Mailbox& other, int samples) {
    begins.clear();
    ends.clear();
    if (!last_) {
      last_ = copy(Direction::to_device);
      if (direction_ == Direction::to_host) memory_.forget();
    }
    for (int i = 0; i < samples; ++i) {
      stop_if_interrupted();
      ready.put(last_);
      other.take();
      begins.push_back(device_.now());
      last_ = copy(direction_);
      ends.push_back(device_.now());
    }
  }

  void require_unchanged() {
    if (direction_ == Direction::to_device) {
      memory_.forget();
      queue_->read(buffer_, 0, memory_.span());
    }
    memory_.require_filled();
  }

  std::vector<Moment> begins;
  std::vector<Moment> ends;

 private:
  offload::Event copy(Direction direction) {
    offload::Event copied = direction == Direction::to_device ? queue_->start_write(buffer_, 0, memory_.span())
                                                              : queue_->start_read(buffer_, 0, memory_.span());
    copied.wait();
    return copied;
  }

  offload::Device& device_;
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
    device_.run({{"to device", [&] { ways_[0].run(*to_device, *to_host, count); }},
                 {"to host", [&] { ways_[1].run(*to_host, *to_device, count); }}});
    std::vector<Time> times;
    for (auto i = static_cast<std::size_t>(untimed); i < ways_[0].begins.size(); ++i)
      times.push_back(std::max(ways_[0].ends[i], ways_[1].ends[i]) - std::min(ways_[0].begins[i], ways_[1].begins[i]));
    return times;
  }

  void check() override {
    device_.run([&] {
      for (OneWayCopies& way : ways_) way.require_unchanged();
    });
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
