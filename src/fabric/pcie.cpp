#include "isthmus/fabric/pcie.hpp"

#include <algorithm>
#include <utility>

namespace isthmus::fabric {
namespace {

/// Transfers a second on each lane, in GT/s (1.2, 8.3).
double transfer_rate(int generation) {
  constexpr std::array kRates{2.5, 5.0, 8.0, 16.0, 32.0};
  return kRates.at(static_cast<std::size_t>(generation - 1));
}

double encoding(int generation) {
  return generation <= 2 ? 8.0 / 10.0 : 128.0 / 130.0;
}

}  // namespace

Bandwidth raw_bandwidth(const PcieLinkSpec& spec) {
  return {advertised_bandwidth(spec).bytes_per_second * encoding(spec.generation)};
}

Bandwidth advertised_bandwidth(const PcieLinkSpec& spec) {
  return {transfer_rate(spec.generation) * 1e9 / 8 * spec.lanes};
}

// Where the credits are good for fewer packets than an update waits for, both ends would wait for each other: the
// update goes out once all that the sender may send has been taken.
Receipts::Receipts(const PcieLinkSpec& spec)
    : ack_every_(spec.ack_every),
      posted_every_(std::min({spec.update_fc_every, spec.posted_header_credits,
                              static_cast<int>(spec.posted_data_credits * kDataCreditBytes / spec.max_payload.count)})),
      nonposted_every_(std::min(spec.update_fc_every, spec.nonposted_header_credits)) {}

Dllps Receipts::took(const Tlp& tlp) {
  const Credits cost = credits_of(tlp);
  (tlp.kind == Tlp::Kind::write ? posted_ : nonposted_) += cost;
  const bool ack = ++unacknowledged_ >= ack_every_;
  if (ack) unacknowledged_ = 0;
  const bool update = posted_.posted_headers >= posted_every_ || nonposted_.nonposted_headers >= nonposted_every_;
  return {.ack = ack, .update = update, .credits = update ? due() : Credits{}};
}

Credits Receipts::due() {
  return std::exchange(posted_.posted_headers >= posted_every_ ? posted_ : nonposted_, {});
}

Credits Receipts::kept() const {
  Credits sum = posted_;
  return sum += nonposted_;
}

template <std::size_t Sources>
PcieLane<Sources>::PcieLane(const PcieLinkSpec& spec)
    : spec_(spec),
      byte_time_fs_(1e15 / raw_bandwidth(spec).bytes_per_second),
      credits_{spec.posted_header_credits, spec.posted_data_credits, spec.nonposted_header_credits} {}

template <std::size_t Sources>
void PcieLane<Sources>::step() {
  if (packets_since_dllps_ >= spec_.ack_every && send_dllps()) return;
  if (next_tlp()) {
    const Credits cost = credits_of(next_);
    if (!credits_.cover(cost)) hear_updates();  // what has come back is looked at only where it matters
    if (credits_.cover(cost)) return send_tlp(cost);
  }
  if (send_dllps()) return;
  hear_updates();
  if (in.back().closed()) in.back().read();  // ends the lane
}

template <std::size_t Sources>
bool PcieLane<Sources>::send_dllps() {
  Dllps due;
  if (!dllps.pull(due)) {
    packets_since_dllps_ = 0;
    return false;
  }
  occupy(spec_.dllp_size.count * (static_cast<int>(due.ack) + static_cast<int>(due.update)));
  if (due.update) updates.push(due.credits);
  return true;
}

template <std::size_t Sources>
bool PcieLane<Sources>::next_tlp() {
  for (auto source = in.rbegin(); !has_next_ && source != in.rend(); ++source) has_next_ = source->pull(next_);
  return has_next_;
}

template <std::size_t Sources>
void PcieLane<Sources>::send_tlp(const Credits& cost) {
  credits_ -= cost;
  has_next_ = false;
  ++packets_since_dllps_;
  const std::int64_t payload = next_.carries_data() ? next_.bytes : 0;
  const bool completion = next_.kind == Tlp::Kind::completion;
  payload_bytes_ += static_cast<std::uint64_t>(payload);
  occupy(payload + (completion ? spec_.completion_overhead : spec_.request_overhead).count);
  copy(next_, out.slot());
}

template <std::size_t Sources>
void PcieLane<Sources>::hear_updates() {
  for (Credits credits; credits_back.pull(credits);) credits_ += credits;
}

template <std::size_t Sources>
void PcieLane<Sources>::occupy(std::int64_t bytes) {
  wire_bytes_ += static_cast<std::uint64_t>(bytes);
  timer_.wait(Time::fs(static_cast<std::int64_t>(static_cast<double>(bytes) * byte_time_fs_ + 0.5)));
}

template class PcieLane<1>;
template class PcieLane<2>;

}  // namespace isthmus::fabric
