#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "isthmus/base/error.hpp"
#include "isthmus/base/nearest.hpp"
#include "isthmus/cluster/scheme.hpp"

namespace isthmus::cluster {
namespace {

using offload::ComputeBuffer;
using offload::ComputeDevice;
using offload::ComputeEvent;
using offload::ComputeQueue;

constexpr std::array kSchemes{
    SchemeName{"staged", "read into host memory, MPI_Sendrecv, write, one after the other (the base scheme)"},
    SchemeName{"pipelined", "the same in chunks of pinned memory, the three steps at once"},
    SchemeName{"shared", "through one segment of memory that the ranks of a host share"},
    SchemeName{"mapped", "MPI straight between buffers that are mapped before, where device and host have one memory"},
    SchemeName{"cpu", "MPI alone, no device"},
};

/// Meyer2024 4.1.1.1: the base scheme.
class Staged final : public Scheme {
 public:
  Staged(const ComputeDevice& device, const Ranks& ranks, std::size_t largest)
      : ranks_(ranks), queue_(device.queue()), out_(largest), in_(largest) {}

  void exchange(const Piece& out, int to, const Piece& in, int from) override {
    const auto sent = std::span(out_).first(out.bytes);
    const auto came = std::span(in_).first(in.bytes);
    queue_.read(out.buffer, out.offset, sent);
    ranks_.exchange(sent, to, came, from);
    queue_.write(in.buffer, in.offset, came);
  }

 private:
  Ranks ranks_;
  ComputeQueue queue_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

/// While a chunk is between the hosts the one after it is read and the one before it is written.
class Pipelined final : public Scheme {
 public:
  Pipelined(const ComputeDevice& device, const Ranks& ranks, std::size_t largest)
      : ranks_(ranks),
        chunk_(std::clamp<std::size_t>(largest, 1, kChunk)),
        reading_(device.queue()),
        writing_(device.queue()),
        out_{device.pinned(chunk_), device.pinned(chunk_)},
        in_{device.pinned(chunk_), device.pinned(chunk_)} {}

  void exchange(const Piece& out, int to, const Piece& in, int from) override {
    // The two messages may have different numbers of chunks.
    const std::size_t chunks = std::max(count(out), count(in));
    std::vector<ComputeEvent> reads;
    std::vector<ComputeEvent> writes;
    if (count(out) > 0) reads.push_back(read(out, 0));
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (chunk < count(out)) reads.back().wait();
      if (chunk + 1 < count(out)) reads.push_back(read(out, chunk + 1));
      if (chunk >= 2 && chunk < count(in)) writes[chunk - 2].wait();
      ranks_.exchange(part(out_[chunk % 2], out, chunk), chunk < count(out) ? to : kNobody,
                      part(in_[chunk % 2], in, chunk), chunk < count(in) ? from : kNobody);
      if (chunk < count(in)) writes.push_back(write(in, chunk));
    }
    writing_.finish();
  }

 private:
  // Large enough that the latencies of driver and MPI are small beside it, small enough to stay in a core's cache.
  static constexpr std::size_t kChunk = 256 * 1024;

  std::size_t count(const Piece& piece) const { return (piece.bytes + chunk_ - 1) / chunk_; }

  std::span<std::byte> part(const offload::PinnedMemory& memory, const Piece& piece, std::size_t chunk) const {
    const std::size_t start = std::min(chunk * chunk_, piece.bytes);
    return memory.bytes().first(std::min(chunk_, piece.bytes - start));
  }

  ComputeEvent read(const Piece& out, std::size_t chunk) {
    ComputeEvent event =
        reading_.start_read(out.buffer, out.offset + chunk * chunk_, part(out_[chunk % 2], out, chunk));
    reading_.flush();
    return event;
  }

  ComputeEvent write(const Piece& in, std::size_t chunk) {
    ComputeEvent event = writing_.start_write(in.buffer, in.offset + chunk * chunk_, part(in_[chunk % 2], in, chunk));
    writing_.flush();
    return event;
  }

  Ranks ranks_;
  std::size_t chunk_;
  ComputeQueue reading_;
  ComputeQueue writing_;
  std::array<offload::PinnedMemory, 2> out_;
  std::array<offload::PinnedMemory, 2> in_;
};

/// Each rank reads into its own slot of the segment, its receiver writes out of there.
class Shared final : public Scheme {
 public:
  Shared(const ComputeDevice& device, const Ranks& ranks, std::size_t largest)
      : ranks_(ranks), queue_(device.queue()), segment_(ranks.shared_segment(largest)) {}

  void exchange(const Piece& out, int to, const Piece& in, int from) override {
    queue_.read(out.buffer, out.offset, segment_.slot(ranks_.rank()).first(out.bytes));
    // Without bytes these say: my slot is filled; I am done with yours.
    ranks_.exchange({}, to, {}, from);
    queue_.write(in.buffer, in.offset, segment_.slot(from).first(in.bytes));
    ranks_.exchange({}, from, {}, to);
  }

 private:
  Ranks ranks_;
  ComputeQueue queue_;
  SharedSegment segment_;
};

class Mapped final : public Scheme {
 public:
  Mapped(const ComputeDevice& device, const Ranks& ranks) : ranks_(ranks), queue_(device.queue()) {}

  void begin(const ComputeBuffer& out, const ComputeBuffer& in) override {
    out_ = std::make_unique<offload::PinnedMemory>(queue_.map(out));
    in_ = std::make_unique<offload::PinnedMemory>(queue_.map(in));
  }
  void exchange(const Piece& out, int to, const Piece& in, int from) override {
    ranks_.exchange(out_->bytes().subspan(out.offset, out.bytes), to, in_->bytes().subspan(in.offset, in.bytes), from);
  }
  void end() override {
    out_.reset();
    in_.reset();
  }

 private:
  Ranks ranks_;
  ComputeQueue queue_;
  std::unique_ptr<offload::PinnedMemory> out_;
  std::unique_ptr<offload::PinnedMemory> in_;
};

}  // namespace

std::span<const SchemeName> all_schemes() {
  return kSchemes;
}

void require_scheme(const std::string& name) {
  if (std::ranges::find(kSchemes, name, &SchemeName::name) != kSchemes.end()) return;
  std::vector<std::string> names;
  names.reserve(kSchemes.size());
  for (const SchemeName& each : kSchemes) names.emplace_back(each.name);
  throw Error(unknown_name("scheme", name, names));
}

std::unique_ptr<Scheme> make_scheme(const std::string& name, const ComputeDevice& device, const Ranks& ranks,
                                    std::size_t largest) {
  require_scheme(name);
  if (name == "staged") return std::make_unique<Staged>(device, ranks, largest);
  if (name == "pipelined") return std::make_unique<Pipelined>(device, ranks, largest);
  if (name == "shared") return std::make_unique<Shared>(device, ranks, largest);
  const auto& properties = device.properties();
  if (name == "mapped" && properties.host_memory) return std::make_unique<Mapped>(device, ranks);
  throw Error(name == "mapped"
                  ? fmt::format("--scheme mapped: device '{}' has a memory of its own, expected staged or pipelined",
                                properties.name)
                  : fmt::format("--scheme {}: no device takes part in it, expected another scheme here", name));
}

}  // namespace isthmus::cluster
