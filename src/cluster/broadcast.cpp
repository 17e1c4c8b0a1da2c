#include "isthmus/cluster/broadcast.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "cluster/mailbox.hpp"
#include "isthmus/cluster/scheme.hpp"

namespace isthmus::cluster {
namespace {

using offload::Buffer;
using offload::Device;
using offload::Event;
using offload::Queue;

class Staged final : public Broadcast {
 public:
  Staged(const Ranks& ranks, std::size_t largest) : ranks_(ranks), staging_(largest) {}

  void send(Queue& queue, const Buffer& buffer, std::size_t bytes, int root) override {
    const auto part = std::span(staging_).first(bytes);
    if (ranks_.rank() == root) queue.read(buffer, 0, part);
    ranks_.broadcast(part, root);
    if (ranks_.rank() != root) queue.write(buffer, 0, part);
  }

 private:
  Ranks ranks_;
  std::vector<std::byte> staging_;
};

/// While a chunk is between the hosts the root reads the next one and the others write the one before, from pinned
/// memory.
class Pipelined final : public Broadcast {
 public:
  Pipelined(Device& device, const Ranks& ranks, std::size_t largest)
      : ranks_(ranks),
        chunk_(std::clamp<std::size_t>(largest, 1, kChunk)),
        memory_{device.pinned(chunk_), device.pinned(chunk_)} {}

  void send(Queue& queue, const Buffer& buffer, std::size_t bytes, int root) override {
    const bool reads = ranks_.rank() == root;
    const auto start = [&](std::size_t chunk) {
      Event event = reads ? queue.start_read(buffer, chunk * chunk_, part(chunk, bytes))
                          : queue.start_write(buffer, chunk * chunk_, part(chunk, bytes));
      queue.flush();
      return event;
    };
    const std::size_t chunks = (bytes + chunk_ - 1) / chunk_;
    std::vector<Event> copies;
    if (reads && chunks > 0) copies.push_back(start(0));
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (reads) copies[chunk].wait();
      if (reads && chunk + 1 < chunks) copies.push_back(start(chunk + 1));
      if (!reads && chunk >= 2) copies[chunk - 2].wait();
      ranks_.broadcast(part(chunk, bytes), root);
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

  Ranks ranks_;
  std::size_t chunk_;
  std::array<offload::PinnedBuffer, 2> memory_;
};

/// Through the root's places in a segment that all ranks' devices copy to and from.
class Shared final : public Broadcast {
 public:
  Shared(const Ranks& ranks, std::size_t chunk, Mailbox mailbox)
      : ranks_(ranks), chunk_(chunk), mailbox_(std::move(mailbox)) {}

  void send(Queue& queue, const Buffer& buffer, std::size_t bytes, int root) override {
    if (ranks_.rank() == root)
      give(queue, buffer, bytes);
    else
      take(queue, buffer, bytes, root);
  }

 private:
  struct Copy {
    Event event;
    std::span<std::byte> bytes;
  };

  /// One chunk is read while the one before it is sent on.
  void give(Queue& queue, const Buffer& buffer, std::size_t bytes) {
    std::deque<Copy> reads;
    for (std::size_t at = 0; at < bytes; at += chunk_) {
      const auto place = mailbox_.place([] {}).first(std::min(chunk_, bytes - at));
      reads.push_back({queue.start_read(buffer, at, place), place});
      queue.flush();
      if (reads.size() == 2) hand_out(reads);
    }
    while (!reads.empty()) hand_out(reads);
  }

  void hand_out(std::deque<Copy>& reads) {
    reads.front().event.wait();
    for (int rank = 0; rank < ranks_.size(); ++rank)
      if (rank != ranks_.rank()) mailbox_.post(reads.front().bytes, rank);
    reads.pop_front();
  }

  /// Gives every place back before it returns: others may wait for it.
  void take(Queue& queue, const Buffer& buffer, std::size_t bytes, int root) {
    std::deque<Copy> writes;
    const auto land = [&] {
      writes.front().event.wait();
      mailbox_.taken(root);
      writes.pop_front();
    };
    for (std::size_t at = 0; at < bytes; at += chunk_) {
      const auto came = mailbox_.await(root, [] {}).first(std::min(chunk_, bytes - at));
      writes.push_back({queue.start_write(buffer, at, came), came});
      queue.flush();
      if (writes.size() == 2) land();
    }
    while (!writes.empty()) land();
  }

  Ranks ranks_;
  std::size_t chunk_;
  Mailbox mailbox_;
};

class Mapped final : public Broadcast {
 public:
  explicit Mapped(const Ranks& ranks) : ranks_(ranks) {}

  void send(Queue& queue, const Buffer& buffer, std::size_t bytes, int root) override {
    const offload::PinnedBuffer memory = queue.map(buffer);
    ranks_.broadcast(memory.bytes().first(bytes), root);
  }

 private:
  Ranks ranks_;
};

}  // namespace

std::unique_ptr<Broadcast> make_broadcast(const std::string& scheme, Device& device, const Ranks& ranks,
                                          std::size_t largest) {
  const std::size_t chunk = Mailbox::chunk_for(largest);
  std::optional<Mailbox> mailbox;
  if (scheme == "shared") mailbox.emplace(ranks, device, chunk);
  return ranks.agreed([&]() -> std::unique_ptr<Broadcast> {
    if (scheme == "staged") return std::make_unique<Staged>(ranks, largest);
    if (scheme == "pipelined") return std::make_unique<Pipelined>(device, ranks, largest);
    if (scheme == "shared") return std::make_unique<Shared>(ranks, chunk, *std::move(mailbox));
    if (scheme == "mapped" && device.properties().host_memory) return std::make_unique<Mapped>(ranks);
    refuse_scheme(scheme, device);
  });
}

}  // namespace isthmus::cluster
