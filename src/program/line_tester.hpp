#pragma once

#include <atomic>
#include <vector>

#include "program/packet_arena.hpp"
#include "program/packet_line.hpp"

namespace isthmus::program {

/// The sender of packets into a line, which also takes what comes back: the neighbour of a kernel. So many packets are
/// under way that none is dropped (PacketLine::window); what does not come back for a while is lost.
class LineTester {
 public:
  LineTester(const PacketLine& line, const Packets& packets, PacketChecker& checker, int count);

  /// All packets, stretch after stretch; they are drawn before its time and compared after it. Throws Error where the
  /// line fails.
  void run();
  /// Ends it before that: at its next look nobody is there any more.
  void stop() { stopped_ = true; }
  /// Tells whether it has sent and taken all.
  bool over() const { return over_; }

  const Spent& spent() const { return spent_; }
  /// The times of those packets that were timed; of none once any was lost.
  const std::vector<Time>& latencies() const { return latencies_; }

 private:
  void run(const PacketRange& stretch);
  std::size_t send_some();
  std::size_t take_some();
  bool waited_enough(bool moved);

  const PacketLine& line_;
  const Packets& packets_;
  PacketChecker& checker_;
  std::vector<PacketRange> stretches_;
  PacketArena out_;
  PacketArena back_;
  PacketBatch batch_;
  std::size_t sent_ = 0;  ///< packets of the stretch that are sent
  std::size_t came_ = 0;
  std::size_t lost_ = 0;
  std::size_t at_ = 0;  ///< index of the next packet in its arena
  std::vector<std::int64_t> sent_at_;
  std::int64_t moved_at_ = 0;
  Spent spent_;
  std::vector<Time> latencies_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> over_ = false;
};

}  // namespace isthmus::program
