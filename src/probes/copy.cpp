#include "isthmus/probes/copy.hpp"

#include <optional>
#include <utility>

#include "isthmus/base/interrupt.hpp"
#include "isthmus/platform/needs.hpp"
#include "probes/host_bytes.hpp"

namespace isthmus::probes {
namespace {

/// The bytes that go to a device and come back, and the buffer there.
class Copies final : public Sampler {
 public:
  Copies(offload::Device& device, Direction direction, HostSide side, Bytes size)
      : device_(device),
        direction_(direction),
        side_(side),
        size_(static_cast<std::size_t>(size.count)),
        buffer_(device.buffer(size_)),  // before the host's memory: a device without room is known at once
        bytes_(device, size_, side == HostSide::pinned),
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
      device_.run([&] {
        if (!std::exchange(there_, true) && (!device_.properties().modelled || direction_ == Direction::to_host))
          send();
        if (!device_.properties().modelled) copy(direction_);
        for (int i = 0; i < samples; ++i) times.push_back(timed());
      });
    }
    return times;
  }

  void check() override {
    if (direction_ == Direction::to_device)
      device_.run([&] {
        bytes_.forget();
        copy(Direction::to_host);
      });
    bytes_.require_filled();
  }

 private:
  Time time_fresh() {
    buffer_.reset();
    const Moment before = device_.now();
    buffer_ = device_.buffer(size_);
    Time took = device_.now() - before;
    device_.run([&] {
      if (direction_ == Direction::to_host) send();
      took += timed();
    });
    return took;
  }

  Time timed() {
    stop_if_interrupted();
    const Moment start = device_.now();
    copy(direction_);
    return device_.now() - start;
  }

  /// Untimed, before the copies that are: those to the host have to bring it back.
  void send() {
    copy(Direction::to_device);
    if (direction_ == Direction::to_host) bytes_.forget();
  }

  void copy(Direction direction) {
    if (direction == Direction::to_device)
      queue_->write(platform::needed(buffer_), 0, bytes_.span());
    else
      queue_->read(platform::needed(buffer_), 0, bytes_.span());
  }

  offload::Device& device_;
  Direction direction_;
  HostSide side_;
  bool there_ = false;  ///< whether the device's buffer holds what was sent
  std::size_t size_;
  std::optional<offload::Buffer> buffer_;
  HostBytes bytes_;
  std::unique_ptr<offload::Queue> queue_;
};

}  // namespace

std::unique_ptr<Sampler> copies(offload::Device& device, Direction direction, HostSide side, Bytes size) {
  return std::make_unique<Copies>(device, direction, side, size);
}

}  // namespace isthmus::probes
