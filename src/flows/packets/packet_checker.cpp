#include "flows/packets/packet_checker.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace isthmus::program {
namespace {

/// The number of packets in a row that may be lost, for the next to be known again.
constexpr int kSearched = 64;
/// Wrong ones after which nobody asks any more whether they are others.
constexpr int kEnough = 16;

}  // namespace

PacketChecker::PacketChecker(const Packets& packets, int count, std::function<void(int)> progress)
    : packets_(packets), count_(count), progress_(std::move(progress)), differences_(1) {}

bool PacketChecker::is(const Candidate& candidate, std::span<const std::byte> out) {
  expected_.resize(packets_.length(candidate.packet));
  packets_.fill(candidate.packet, expected_);
  packets_.reference(candidate.position, expected_);
  if (expected_.size() != out.size()) return false;
  return out.empty() || std::memcmp(expected_.data(), out.data(), out.size()) == 0;
}

void PacketChecker::take(std::span<const std::byte> out) {
  if (wrong_ >= kEnough || !(find_ahead(out) || find_late(out))) note_wrong(out);
  if (progress_) progress_(came_in_all());
}

void PacketChecker::came(int packet, std::span<const std::byte> out) {
  order_.push_back(packet);
  differences_.compare(packet, expected_, out);
  if (packets_.received) packets_.received(packet, out);
}

bool PacketChecker::find_ahead(std::span<const std::byte> out) {
  for (int skipped = 0; skipped < kSearched && next_ + skipped < count_; ++skipped)
    // The skipped packets were lost before the kernel, or after it.
    for (int lost_before = 0; lost_before <= skipped; ++lost_before) {
      const int packet = next_ + skipped;
      const std::uint64_t before = before_ + static_cast<std::uint64_t>(lost_before);
      if (static_cast<std::uint64_t>(packet) < before ||
          !is({.packet = packet, .position = static_cast<std::uint64_t>(packet) - before}, out))
        continue;
      for (int late = next_; late < packet; ++late)
        missing_.push_back({.packet = late, .position = static_cast<std::uint64_t>(late) - before_});
      next_ = packet + 1;
      before_ = before;
      came(packet, out);
      return true;
    }
  return false;
}

bool PacketChecker::find_late(std::span<const std::byte> out) {
  for (auto late = missing_.begin(); late != missing_.end(); ++late)
    // It may have been overtaken before the kernel, which then counts it behind those that overtook it.
    for (std::uint64_t behind = 0; behind < kSearched; ++behind)
      if (is({.packet = late->packet, .position = late->position + behind}, out)) {
        came(late->packet, out);
        missing_.erase(late);
        ++reordered_;
        return true;
      }
  return false;
}

void PacketChecker::note_wrong(std::span<const std::byte> out) {
  ++wrong_;
  const int packet = std::min(next_, count_ - 1);
  is({.packet = packet, .position = static_cast<std::uint64_t>(packet) - before_}, out);
  // If the packets differ in length, the missing bytes count as different.
  std::vector<std::byte> got(out.begin(), out.end());
  const std::size_t longer = std::max(expected_.size(), got.size());
  for (std::size_t at = got.size(); at < longer; ++at) got.push_back(~expected_[at]);
  for (std::size_t at = expected_.size(); at < longer; ++at) expected_.push_back(~got[at]);
  differences_.compare(packet, expected_, got);
  next_ = std::min(next_ + 1, count_);
}

PacketTally PacketChecker::tally() const {
  return {
      .sent = count_, .received = came_in_all(), .lost = std::max(0, count_ - came_in_all()), .reordered = reordered_};
}

int packet_count(const Job& job) {
  return job.count * job.application.extras.in_message;
}

PacketChecker checker_of(const Job& job) {
  std::function<void(int)> progress;
  if (job.progress)
    progress = [told = job.progress, each = job.application.extras.in_message](int packets) { told(packets / each); };
  return {packets_of(job.application), packet_count(job), std::move(progress)};
}

}  // namespace isthmus::program
