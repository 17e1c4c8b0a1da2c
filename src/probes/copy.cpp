#include "isthmus/probes/copy.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "isthmus/base/error.hpp"
#include "isthmus/base/interrupt.hpp"

namespace isthmus::probes {
namespace {

using offload::Call;

/// Bytes that are no two neighbouring words' same.
std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 131 + (i >> 8U) * 17) & 0xffU);
  return bytes;
}

/// One buffer on the device, and what goes to it and comes back.
class Copies {
 public:
  Copies(offload::Device& device, Bytes size)
      : device_(device),
        sent_(pattern(static_cast<std::size_t>(size.count))),
        received_(sent_.size()),
        buffer_(device.allocate(size)),
        queue_(device.queue()) {}

  std::vector<Time> run(Direction direction, int samples) {
    std::vector<Time> times;
    device_.run({{"probe", [&](offload::Host& host) {
                    if (!device_.info().modelled || direction == Direction::to_host) copy(host, Direction::to_device);
                    if (!device_.info().modelled) copy(host, direction);
                    for (int i = 0; i < samples; ++i) {
                      stop_if_interrupted();
                      const Time start = host.now();
                      copy(host, direction);
                      times.push_back(host.now() - start);
                    }
                    if (direction == Direction::to_device) copy(host, Direction::to_host);
                  }}});
    if (received_ != sent_) throw Error(fmt::format("a copy of {} bytes came back changed", sent_.size()));
    return times;
  }

 private:
  void copy(offload::Host& host, Direction direction) {
    if (direction == Direction::to_device)
      host.write(*queue_, *buffer_, sent_, Call::blocking);
    else
      host.read(*queue_, *buffer_, received_, Call::blocking);
  }

  offload::Device& device_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::unique_ptr<offload::Buffer> buffer_;
  std::unique_ptr<offload::Queue> queue_;
};

}  // namespace

std::vector<Time> time_copies(offload::Device& device, Direction direction, Bytes size, int samples) {
  return Copies(device, size).run(direction, samples);
}

}  // namespace isthmus::probes
