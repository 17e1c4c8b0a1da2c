#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/mailbox.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/cluster/scheme.hpp"

namespace isthmus::cluster {
namespace {

using offload::Buffer;
using offload::Device;
using offload::Event;
using offload::Queue;

constexpr std::array<std::string_view, 5> kSchemes = {"staged", "pipelined", "shared", "mapped", "cpu"};

/// Meyer2024 4.1.1.1: the base scheme.
class Staged final : public Scheme {
 public:
  Staged(Device& device, const Ranks& ranks, std::size_t largest)
      : ranks_(ranks), queue_(device.copy_queue()), out_(largest), in_(largest) {}

  void exchange(const Piece& out, int to, const Piece& in, int from) override {
    const auto sent = std::span(out_).first(out.bytes);
    const auto came = std::span(in_).first(in.bytes);
    queue_->read(out.buffer, out.offset, sent);
    ranks_.exchange(sent, to, came, from);
    queue_->write(in.buffer, in.offset, came);
  }

 private:
  Ranks ranks_;
  std::unique_ptr<Queue> queue_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

/// Messages in chunks: while one is between the hosts, the one after it is read and the one before it is written. A
/// write is started behind the next read, of the next message too, so that the device copies both ways at once.
class Chunked : public Scheme {
 public:
  Chunked(Device& device, std::size_t chunk)
      : chunk_(chunk), reading_(device.copy_queue()), writing_(device.copy_queue()) {}

  void exchange(const Piece& out, int to, const Piece& in, int from) final {
    // The two messages may have different numbers of chunks.
    const std::size_t chunks = std::max(count(out), count(in));
    if (count(out) > 0) read(out, 0);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const bool sends = chunk < count(out);
      const bool receives = chunk < count(in);
      if (chunk + 1 < count(out)) read(out, chunk + 1);
      write_last();
      const std::span<const std::byte> full = sends ? whole_read() : std::span<const std::byte>();
      const std::span<std::byte> came =
          pass(full, sends ? to : kNobody, receives ? bytes_of(in, chunk) : 0, receives ? from : kNobody);
      if (receives) came_.emplace(Came{in.buffer, in.offset + chunk * chunk_, came, from});
    }
  }

  void finish() final {
    write_last();
    while (!writes_.empty()) land();
  }

 protected:
  /// The place to which the next chunk is read.
  virtual std::span<std::byte> place() = 0;
  /// Passes a chunk on, and returns the one of as many `bytes` that comes; it stays until it has landed.
  virtual std::span<std::byte> pass(std::span<const std::byte> out, int to, std::size_t bytes, int from) = 0;
  /// The oldest chunk that came from there is in the device's memory.
  virtual void landed(int /*from*/) {}

 private:
  // Writes under way; each has its memory, of which there is more (kPlaces).
  static constexpr std::size_t kWrites = 1;

  struct Came {
    Buffer buffer;
    std::size_t offset;
    std::span<std::byte> bytes;
    int from;
  };
  struct Read {
    Event event;
    std::span<const std::byte> bytes;
  };
  struct Write {
    Event event;
    int from;
  };

  std::size_t count(const Piece& piece) const { return (piece.bytes + chunk_ - 1) / chunk_; }
  std::size_t bytes_of(const Piece& piece, std::size_t chunk) const {
    return std::min(chunk_, piece.bytes - chunk * chunk_);
  }

  void read(const Piece& out, std::size_t chunk) {
    const auto bytes = place().first(bytes_of(out, chunk));
    reads_.push_back({reading_->start_read(out.buffer, out.offset + chunk * chunk_, bytes), bytes});
    reading_->flush();
  }

  std::span<const std::byte> whole_read() {
    const Read read = std::move(reads_.front());
    reads_.pop_front();
    read.event.wait();
    return read.bytes;
  }

  void write_last() {
    if (!came_) return;
    writes_.push_back({writing_->start_write(came_->buffer, came_->offset, came_->bytes), came_->from});
    writing_->flush();
    came_.reset();
    while (writes_.size() > kWrites) land();
  }

  void land() {
    writes_.front().event.wait();
    landed(writes_.front().from);
    writes_.pop_front();
  }

  std::size_t chunk_;
  std::unique_ptr<Queue> reading_;
  std::unique_ptr<Queue> writing_;
  std::deque<Read> reads_;
  std::deque<Write> writes_;
  std::optional<Came> came_;  // last, and its write is not started yet
};

/// MPI between chunks of pinned memory.
class Pipelined final : public Chunked {
 public:
  Pipelined(Device& device, const Ranks& ranks, std::size_t largest)
      : Chunked(device, chunk_for(largest)), ranks_(ranks) {
    for (std::size_t each = 0; each < kPlaces; ++each) {
      out_.push_back(device.pinned(chunk_for(largest)));
      in_.push_back(device.pinned(chunk_for(largest)));
    }
  }

 protected:
  std::span<std::byte> place() override { return out_[sent_++ % kPlaces].bytes(); }
  std::span<std::byte> pass(std::span<const std::byte> out, int to, std::size_t bytes, int from) override {
    const auto in = in_[from == kNobody ? 0 : received_++ % kPlaces].bytes().first(bytes);
    ranks_.exchange(out, to, in, from);
    return in;
  }

 private:
  static constexpr std::size_t kPlaces = 4;
  // Large enough that the latencies of driver and MPI are small against it, small enough to stay in a core's cache.
  static std::size_t chunk_for(std::size_t largest) { return std::clamp<std::size_t>(largest, 1, 256 * 1024); }

  Ranks ranks_;
  std::vector<offload::PinnedBuffer> out_;
  std::vector<offload::PinnedBuffer> in_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
};

/// Devices copy to and from one segment, pinned for each of them: no byte is copied by a processor.
class Shared final : public Chunked {
 public:
  Shared(Device& device, std::size_t largest, Mailbox mailbox)
      : Chunked(device, Mailbox::chunk_for(largest)), mailbox_(std::move(mailbox)) {}

 protected:
  std::span<std::byte> place() override {
    return mailbox_.place([this] { finish(); });
  }
  std::span<std::byte> pass(std::span<const std::byte> out, int to, std::size_t bytes, int from) override {
    if (to != kNobody) mailbox_.post(out, to);
    if (from == kNobody) return {};
    return mailbox_.await(from, [this] { finish(); }).first(bytes);
  }
  void landed(int from) override { mailbox_.taken(from); }

 private:
  Mailbox mailbox_;
};

/// MPI straight between buffers that are mapped before, where device and host have one memory.
class Mapped final : public Scheme {
 public:
  Mapped(Device& device, const Ranks& ranks) : ranks_(ranks), queue_(device.queue()) {}

  void begin(const Buffer& out, const Buffer& in) override {
    maps_.push_back(queue_->start_map(out));
    if (in != out) maps_.push_back(queue_->start_map(in));
    queue_->flush();
    arrived_ = false;
  }
  void exchange(const Piece& out, int to, const Piece& in, int from) override {
    arrive();
    ranks_.exchange(maps_.front().memory.bytes().subspan(out.offset, out.bytes), to,
                    maps_.back().memory.bytes().subspan(in.offset, in.bytes), from);
  }
  void end() override {
    maps_.clear();
    queue_->flush();
    returning_ = true;
  }
  void finish() override {
    if (std::exchange(returning_, false)) queue_->finish();
  }

 private:
  void arrive() {
    if (std::exchange(arrived_, true)) return;
    for (const auto& each : maps_) each.mapped.wait();
  }

  Ranks ranks_;
  std::unique_ptr<Queue> queue_;
  std::vector<offload::StartedMap> maps_;  // of what is sent and of what is received, which may be one buffer
  bool arrived_ = false;
  bool returning_ = false;
};

}  // namespace

std::string best_scheme(Device& device, const Ranks& ranks) {
  if (ranks.largest(device.properties().host_memory ? 0 : 1) == 0) return "mapped";
  return ranks.on_this_host().size() == ranks.size() ? "shared" : "pipelined";
}

void require_scheme(const std::string& name) {
  if (std::ranges::find(kSchemes, name) != kSchemes.end()) return;
  const std::vector<std::string> names(kSchemes.begin(), kSchemes.end());
  throw Error(unknown_name("scheme", name, names));
}

void refuse_scheme(const std::string& name, Device& device) {
  throw Error(
      name == "mapped"
          ? fmt::format("--scheme mapped: device '{}' has a memory of its own, expected staged, pipelined or shared",
                        device.properties().name)
          : fmt::format("--scheme {}: no device takes part in it, expected another scheme here", name));
}

std::unique_ptr<Scheme> make_scheme(const std::string& name, Device& device, const Ranks& ranks,
                                    std::size_t largest_here) {
  require_scheme(name);
  // The sender and the receiver must cut a message into the same chunks.
  const auto largest = static_cast<std::size_t>(ranks.largest(static_cast<double>(largest_here)));
  std::optional<Mailbox> mailbox;
  if (name == "shared") mailbox.emplace(ranks, device, Mailbox::chunk_for(largest));
  return ranks.agreed([&]() -> std::unique_ptr<Scheme> {
    if (name == "staged") return std::make_unique<Staged>(device, ranks, largest_here);
    if (name == "pipelined") return std::make_unique<Pipelined>(device, ranks, largest);
    if (name == "shared") return std::make_unique<Shared>(device, largest, *std::move(mailbox));
    if (name == "mapped" && device.properties().host_memory) return std::make_unique<Mapped>(device, ranks);
    refuse_scheme(name, device);
  });
}

}  // namespace isthmus::cluster
