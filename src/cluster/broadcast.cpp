#include "isthmus/cluster/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "isthmus/base/error.hpp"

namespace isthmus::cluster {
namespace {

using offload::ComputeBuffer;
using offload::ComputeDevice;
using offload::ComputeEvent;
using offload::ComputeQueue;

class Staged final : public Broadcast {
 public:
  explicit Staged(std::size_t largest) : staging_(largest) {}

  void send(ComputeQueue& queue, const ComputeBuffer& buffer, std::size_t bytes, const Ranks& ranks,
            int root) override {
    const auto part = std::span(staging_).first(bytes);
    if (ranks.rank() == root) queue.read(buffer, 0, part);
    ranks.broadcast(part, root);
    if (ranks.rank() != root) queue.write(buffer, 0, part);
  }

 private:
  std::vector<std::byte> staging_;
};

/// While a chunk is between the hosts the root reads the next one and the others write the one before, from pinned
/// memory.
class Pipelined final : public Broadcast {
 public:
  Pipelined(const ComputeDevice& device, std::size_t largest)
      : chunk_(std::clamp<std::size_t>(largest, 1, kChunk)), memory_{device.pinned(chunk_), device.pinned(chunk_)} {}

  void send(ComputeQueue& queue, const ComputeBuffer& buffer, std::size_t bytes, const Ranks& ranks,
            int root) override {
    const bool reads = ranks.rank() == root;
    const auto start = [&](std::size_t chunk) {
      ComputeEvent event = reads ? queue.start_read(buffer, chunk * chunk_, part(chunk, bytes))
                                 : queue.start_write(buffer, chunk * chunk_, part(chunk, bytes));
      queue.flush();
      return event;
    };
    const std::size_t chunks = (bytes + chunk_ - 1) / chunk_;
    std::vector<ComputeEvent> copies;
    if (reads && chunks > 0) copies.push_back(start(0));
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (reads) copies[chunk].wait();
      if (reads && chunk + 1 < chunks) copies.push_back(start(chunk + 1));
      if (!reads && chunk >= 2) copies[chunk - 2].wait();
      ranks.broadcast(part(chunk, bytes), root);
      if (!reads) copies.push_back(start(chunk));
    }
    // The next broadcast fills the same memory.
    if (!copies.empty()) copies.back().wait();
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;

  std::span<std::byte> part(std::size_t chunk, std::size_t bytes) const {
    return memory_[chunk % 2].bytes().first(std::min(chunk_, bytes - chunk * chunk_));
  }

  std::size_t chunk_;
  std::array<offload::PinnedMemory, 2> memory_;
};

class Mapped final : public Broadcast {
 public:
  void send(ComputeQueue& queue, const ComputeBuffer& buffer, std::size_t bytes, const Ranks& ranks,
            int root) override {
    const offload::PinnedMemory memory = queue.map(buffer);
    ranks.broadcast(memory.bytes().first(bytes), root);
  }
};

}  // namespace

std::unique_ptr<Broadcast> make_broadcast(const std::string& scheme, const ComputeDevice& device, std::size_t largest) {
  if (scheme == "staged") return std::make_unique<Staged>(largest);
  if (scheme == "pipelined") return std::make_unique<Pipelined>(device, largest);
  if (scheme == "mapped" && device.properties().host_memory) return std::make_unique<Mapped>();
  throw Error(scheme == "mapped"
                  ? fmt::format("--scheme mapped: device '{}' has a memory of its own, expected staged or pipelined",
                                device.properties().name)
                  : fmt::format("--scheme {}: expected staged, pipelined or mapped for one rank to many", scheme));
}

}  // namespace isthmus::cluster
