// DMA: copies to the memory of a modelled board (AWS F1), by size. A small one pays for the call, the descriptor and
// the doorbell; a large one is as fast as its slowest part: the copying core where memory is pageable, the link where
// the engine reads it in place.
#include <fmt/format.h>

#include <isthmus/offload/open.hpp>

namespace offload = isthmus::offload;

int main() {
  const auto device = offload::open_device("model:aws-f1", {});
  constexpr std::size_t kMost = 16 << 20;
  const auto buffer = device->buffer(kMost);
  const auto pinned = device->pinned(kMost);
  const std::vector<std::byte> pageable(kMost);
  const auto queue = device->queue();

  const auto copy = [&](std::span<const std::byte> from) {
    const isthmus::Moment begin = device->now();
    queue->write(buffer, 0, from);
    const double seconds = (device->now() - begin).seconds();
    fmt::print("  {:>8.1f} us {:>6.2f} GB/s", seconds * 1e6, static_cast<double>(from.size()) / seconds / 1e9);
  };
  fmt::print("{:>5}  {:>23}  {:>23}\n", "KiB", "pageable", "pinned");
  device->run([&] {
    for (std::size_t size = 4096; size <= kMost; size *= 8) {
      fmt::print("{:>5}", size / 1024);
      copy(std::span(pageable).first(size));
      copy(pinned.bytes().first(size));
      fmt::print("\n");
    }
  });
}
