#include "hpcc/exchange_probe.hpp"

#include <algorithm>
#include <deque>

namespace isthmus::hpcc {
namespace {

// Bytes of pinned memory, as much as the largest message of b_eff: schemes that overlap part longer ones into chunks.
constexpr std::size_t kPinned = std::size_t{1} << 20;

/// The part of `bytes` that is the `index`th piece.
std::size_t piece_of(std::size_t bytes, std::size_t piece, std::size_t index) {
  return std::min(piece, bytes - std::min(bytes, index * piece));
}

std::size_t pieces_of(const ExchangeProbe::Traffic& traffic, std::size_t piece) {
  return (std::max(traffic.out_bytes, traffic.in_bytes) + piece - 1) / piece;
}

}  // namespace

ExchangeProbe::ExchangeProbe(const Job& job, std::string scheme, const offload::Buffer& out, const offload::Buffer& in,
                             std::size_t largest)
    : job_(job),
      scheme_(std::move(scheme)),
      piece_(overlaps() ? std::min(largest, kPinned) : largest),
      one_(job.device().copy_queue()),
      other_(job.device().copy_queue()),
      device_out_(out),
      device_in_(in),
      host_out_(piece_),
      host_in_(piece_),
      pinned_out_(job.device().pinned(std::min(largest, kPinned))),
      pinned_in_(job.device().pinned(std::min(largest, kPinned))) {}

template <typename Body>
double ExchangeProbe::timed_often(std::size_t count, Body body) {
  const double seconds = job_.timed([&] {
    for (std::size_t each = 0; each < count; ++each) body();
  });
  return seconds / static_cast<double>(count);
}

double ExchangeProbe::seconds(const Traffic& traffic, std::size_t count) {
  if (!overlaps()) return one_by_one(traffic, count);
  const double copied = copied_both_ways(traffic, count);
  return scheme_ == "shared" ? copied : std::max(copied, exchanged(traffic, count));
}

double ExchangeProbe::one_by_one(const Traffic& traffic, std::size_t count) {
  double seconds = scheme_ == "shared" ? 0 : exchanged(traffic, count);
  if (scheme_ == "mapped") return seconds;
  const bool pageable = scheme_ == "staged";
  const auto out = (pageable ? std::span(host_out_) : pinned_out_.bytes()).first(traffic.in_bytes);
  const auto in = (pageable ? std::span(host_in_) : pinned_in_.bytes()).first(traffic.out_bytes);
  seconds += timed_often(count, [&] { one_->write(device_in_, 0, out); });
  return seconds + timed_often(count, [&] { one_->read(device_out_, 0, in); });
}

double ExchangeProbe::exchanged(const Traffic& traffic, std::size_t count) {
  return timed_often(count, [&] {
    for (std::size_t index = 0; index < pieces_of(traffic, piece_); ++index) {
      const auto out = std::span(host_out_).first(piece_of(traffic.out_bytes, piece_, index));
      const auto in = std::span(host_in_).first(piece_of(traffic.in_bytes, piece_, index));
      job_.ranks().exchange(out, out.empty() ? cluster::kNobody : traffic.to, in,
                            in.empty() ? cluster::kNobody : traffic.from);
    }
  });
}

/// Seconds of a read and a write of pinned memory at once, the next of which start while these are on their way.
double ExchangeProbe::copied_both_ways(const Traffic& traffic, std::size_t count) {
  constexpr std::size_t kOnTheWay = 2;  // reads, and as many writes
  std::deque<offload::Event> copies;
  const auto wait_until_left = [&](std::size_t most) {
    for (; copies.size() > most; copies.pop_front()) copies.front().wait();
  };
  const double seconds = job_.timed([&] {
    for (std::size_t each = 0; each < count * pieces_of(traffic, piece_); ++each) {
      const std::size_t index = each % pieces_of(traffic, piece_);
      if (const auto bytes = piece_of(traffic.out_bytes, piece_, index); bytes > 0) {
        copies.push_back(one_->start_read(device_out_, index * piece_, pinned_in_.bytes().first(bytes)));
        one_->flush();
      }
      if (const auto bytes = piece_of(traffic.in_bytes, piece_, index); bytes > 0) {
        copies.push_back(other_->start_write(device_in_, index * piece_, pinned_out_.bytes().first(bytes)));
        other_->flush();
      }
      wait_until_left(2 * kOnTheWay - 1);
    }
    wait_until_left(0);
  });
  return seconds / static_cast<double>(count);
}

double ExchangeProbe::preparation(std::span<const offload::Buffer> buffers) {
  if (scheme_ != "mapped") return 0;
  return job_.timed([&] {
    std::vector<offload::StartedMap> maps;
    maps.reserve(buffers.size());
    for (const auto& each : buffers) maps.push_back(one_->start_map(each));
    for (const auto& each : maps) each.mapped.wait();
    maps.clear();
    one_->finish();
  });
}

std::string ExchangeProbe::model() const {
  if (scheme_ == "staged") return "equation 4.2 with write, MPI_Sendrecv and read timed by themselves at each size";
  if (scheme_ == "pipelined") return "equation 4.2 with the slower of pinned copies both ways at once and MPI_Sendrecv";
  if (scheme_ == "shared") return "equation 4.2 with pinned copies both ways at once";
  return job_.ranks().size() == 1 ? "equation 4.2 with a mapping and a copy in the host's memory"
                                  : "equation 4.2 with a mapping and MPI_Sendrecv";
}

}  // namespace isthmus::hpcc
