#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "application/run.hpp"

namespace isthmus::program {

/// Holds packets that come back against the reference. Nothing in a packet says which it is: it is the one whose
/// reference it equals, and the next, unless some were lost or overtaken.
class PacketChecker {
 public:
  /// Checks `count` packets, from the first on. `progress` is called with the number of packets that were compared.
  PacketChecker(const Packets& packets, int count, std::function<void(int)> progress);
  /// The packet that came next.
  void take(std::span<const std::byte> out);

  /// The number of each packet that came and was recognized.
  const std::vector<int>& order() const { return order_; }
  /// So far; what has not come is lost.
  PacketTally tally() const;
  /// The first packet that is none of those that were sent, and how many bytes differ.
  std::optional<Difference> difference() const { return differences_.found(); }

 private:
  struct Candidate {
    int packet;
    std::uint64_t position;
  };
  int came_in_all() const { return static_cast<int>(order_.size()) + wrong_; }
  bool is(const Candidate& candidate, std::span<const std::byte> out);
  bool find_ahead(std::span<const std::byte> out);
  bool find_late(std::span<const std::byte> out);
  void came(int packet, std::span<const std::byte> out);
  void note_wrong(std::span<const std::byte> out);

  const Packets& packets_;
  int count_;
  std::function<void(int)> progress_;
  int next_ = 0;                   ///< number behind the latest packet that came
  std::uint64_t before_ = 0;       ///< packets that did not reach the kernel
  std::deque<Candidate> missing_;  ///< packets before `next_` that have not come
  std::vector<std::byte> expected_;
  std::vector<int> order_;
  int wrong_ = 0;
  int reordered_ = 0;
  Differences differences_;
};

/// The number of packets of a job.
int packet_count(const Job& job);
/// The checker of all packets of a job, which hears how many messages have been compared.
PacketChecker checker_of(const Job& job);

}  // namespace isthmus::program
