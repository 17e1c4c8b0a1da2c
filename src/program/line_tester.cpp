#include "program/line_tester.hpp"

#include <algorithm>
#include <array>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// After so long without any packet those under way are lost: a thousand times what the slowest takes on a machine that
/// does other things as well.
constexpr std::int64_t kPatience = 2'000'000'000;

/// Says that the tester has gone, however it went.
struct Leaving {
  std::atomic<bool>& over;
  ~Leaving() { over = true; }
};

}  // namespace

LineTester::LineTester(const PacketLine& line, const Packets& packets, PacketChecker& checker, int count)
    : line_(line),
      packets_(packets),
      checker_(checker),
      stretches_(stretches_of(packets, count)),
      batch_(packets.most) {}

void LineTester::run() {
  const Leaving leaving{over_};
  for (const PacketRange& stretch : stretches_) {
    draw(packets_, stretch, std::span(&out_, 1));
    back_.make_room(out_.used());
    run(stretch);
    check(std::span(&back_, 1), stretch.first, checker_);
    if (stopped_) return;
  }
}

void LineTester::run(const PacketRange& stretch) {
  sent_ = came_ = lost_ = at_ = 0;
  sent_at_.clear();
  spent_.begin();
  moved_at_ = nanoseconds();
  while (came_ + lost_ < stretch.packets() && !stopped_) {
    const bool moved = send_some() + take_some() > 0;
    if (waited_enough(moved)) lost_ = sent_ - came_;
  }
  spent_.end();
}

std::size_t LineTester::send_some() {
  std::array<PacketBytes, PacketBatch::kMost> packets;
  const std::size_t under_way = sent_ - came_ - lost_;
  const std::size_t free = static_cast<std::size_t>(line_.window()) - under_way;
  std::size_t count = 0;
  for (std::size_t at = at_; count < std::min({packets.size(), free, out_.lengths().size() - sent_}); ++count) {
    packets[count] = {out_.bytes() + at, out_.lengths()[sent_ + count]};
    at += whole_beats(packets[count].size());
  }
  if (count == 0) return 0;
  const std::int64_t now = nanoseconds();
  const std::size_t went = send(line_.outside(), std::span(packets).first(count));
  for (std::size_t i = 0; i < went; ++i, ++sent_) {
    if (sent_ % kTimed == 0) sent_at_.push_back(now);
    at_ += whole_beats(packets[i].size());
  }
  return went;
}

std::size_t LineTester::take_some() {
  const std::size_t count = receive(line_.outside(), batch_);
  if (count == 0) return 0;
  const std::int64_t now = nanoseconds();
  for (std::size_t i = 0; i < count; ++i, ++came_) {
    const PacketBytes packet = batch_.packet(i);
    std::ranges::copy(packet, back_.add_packet(packet.size()).begin());
    if (lost_ == 0 && came_ % kTimed == 0 && came_ / kTimed < sent_at_.size())
      latencies_.push_back(Time::ns(now - sent_at_[came_ / kTimed]));
  }
  return count;
}

bool LineTester::waited_enough(bool moved) {
  const std::int64_t now = nanoseconds();
  if (moved) {
    moved_at_ = now;
    return false;
  }
  stop_if_interrupted();
  wait_for_packets(line_.outside());
  return now - moved_at_ > kPatience;
}

}  // namespace isthmus::program
