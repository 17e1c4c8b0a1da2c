#include "isthmus/probes/copy.hpp"

#include <optional>
#include <utility>

#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/needs.hpp"
#include "probes/host_bytes.hpp"

namespace isthmus::probes {
namespace {

using offload::Call;

/// The bytes that go to a device and come back, and the buffer there.
class Copies final : public Sampler {
 public:
  Copies(offload::Device& device, Direction direction, HostSide side, Bytes size)
      : device_(device),
        direction_(direction),
        side_(side),
        size_(size),
        buffer_(device.allocate(size)),  // before the host's memory: a device without room is known at once
        bytes_(device, size, side == HostSide::pinned),
        queue_(device.queue()) {
    bytes_.fill();
    if (side_ == HostSide::pageable) device.keep_staging(*buffer_);
  }

  std::vector<Time> take(int samples) override {
    std::vector<Time> times;
    if (side_ == HostSide::fresh) {
      if (!device_.properties().modelled) time_fresh();
      for (int i = 0; i < samples; ++i) times.push_back(time_fresh());
    } else {
      on_host([&](offload::Host& host) {
        if (!std::exchange(there_, true) && (!device_.properties().modelled || direction_ == Direction::to_host))
          send(host);
        if (!device_.properties().modelled) copy(host, direction_);
        for (int i = 0; i < samples; ++i) times.push_back(timed(host));
      });
    }
    return times;
  }

  void check() override {
    if (direction_ == Direction::to_device)
      on_host([&](offload::Host& host) {
        bytes_.forget();
        copy(host, Direction::to_host);
      });
    bytes_.require_filled();
  }

 private:
  Time time_fresh() {
    buffer_.reset();
    const Time before = device_.clock();
    buffer_ = device_.allocate(size_);
    Time took = device_.clock() - before;
    on_host([&](offload::Host& host) {
      if (direction_ == Direction::to_host) send(host);
      took += timed(host);
    });
    return took;
  }

  void on_host(std::function<void(offload::Host&)> body) { device_.run({{"probe", std::move(body)}}); }

  Time timed(offload::Host& host) {
    stop_if_interrupted();
    const Time start = host.now();
    copy(host, direction_);
    return host.now() - start;
  }

  /// Untimed, before the copies that are: those to the host have to bring it back.
  void send(offload::Host& host) {
    copy(host, Direction::to_device);
    if (direction_ == Direction::to_host) bytes_.forget();
  }

  void copy(offload::Host& host, Direction direction) {
    if (direction == Direction::to_device)
      host.write(*queue_, platform::needed(buffer_), bytes_.span(), Call::blocking);
    else
      host.read(*queue_, platform::needed(buffer_), bytes_.span(), Call::blocking);
  }

  offload::Device& device_;
  Direction direction_;
  HostSide side_;
  bool there_ = false;  ///< whether the device's buffer holds what was sent
  Bytes size_;
  std::optional<offload::Buffer> buffer_;
  HostBytes bytes_;
  std::unique_ptr<offload::Queue> queue_;
};

}  // namespace

std::unique_ptr<Sampler> copies(offload::Device& device, Direction direction, HostSide side, Bytes size) {
  return std::make_unique<Copies>(device, direction, side, size);
}

}  // namespace isthmus::probes
