#pragma once

#include <span>
#include <string>
#include <vector>

#include "isthmus/hpcc/benchmark.hpp"

namespace isthmus::hpcc {

/// The device's own probe of the steps by which a scheme of communication exchanges messages: copies between host and
/// device and MPI_Sendrecv, each by itself, without the scheme. All ranks make it, and each of its calls.
class ExchangeProbe {
 public:
  /// The bytes that go to one rank, and those that come from another meanwhile.
  struct Traffic {
    std::size_t out_bytes;
    int to;
    std::size_t in_bytes;
    int from;
  };

  /// For messages of at most `largest` bytes, which are read from the device's buffer `out` and written to `in`.
  ExchangeProbe(const Job& job, std::string scheme, const offload::Buffer& out, const offload::Buffer& in,
                std::size_t largest);

  /// Seconds of one of `count` messages, of which each goes on its way as soon as the scheme lets it.
  double seconds(const Traffic& traffic, std::size_t count);
  /// Seconds of one of `count` messages, each after the one before it has arrived.
  double one_by_one(const Traffic& traffic, std::size_t count);
  /// Seconds in which the scheme prepares a series of messages between these buffers and gives them back: 0, or mapping
  /// them takes time.
  double preparation(std::span<const offload::Buffer> buffers);
  /// The steps in words, with equation 4.2.
  std::string model() const;

 private:
  bool overlaps() const { return scheme_ == "shared" || scheme_ == "pipelined"; }
  double exchanged(const Traffic& traffic, std::size_t count);
  double copied_both_ways(const Traffic& traffic, std::size_t count);
  template <typename Body>
  double timed_often(std::size_t count, Body body);

  const Job& job_;
  std::string scheme_;
  std::size_t piece_;  // bytes that one step moves
  std::unique_ptr<offload::Queue> one_;
  std::unique_ptr<offload::Queue> other_;
  offload::Buffer device_out_;
  offload::Buffer device_in_;
  std::vector<std::byte> host_out_;
  std::vector<std::byte> host_in_;
  offload::PinnedBuffer pinned_out_;
  offload::PinnedBuffer pinned_in_;
};

}  // namespace isthmus::hpcc
