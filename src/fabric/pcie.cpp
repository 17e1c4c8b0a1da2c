#include "isthmus/fabric/pcie.hpp"

#include <algorithm>
#include <cmath>
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

int tokens_of_packet(const PcieLinkSpec& spec) {
  return static_cast<int>((spec.max_payload.count + kMostPayload - 1) / kMostPayload);
}

int posted_packets(const PcieLinkSpec& spec) {
  const std::int64_t by_data = spec.posted_data_credits * kDataCreditBytes / spec.max_payload.count;
  return static_cast<int>(std::min<std::int64_t>(spec.posted_header_credits, by_data));
}

namespace {

/// Takes whole updates off `packets` and returns their number.
int whole(int& packets, int every) {
  const int updates = packets / every;
  packets %= every;
  return updates;
}

}  // namespace

std::int64_t most_in_token(const PcieLinkSpec& spec) {
  return spec.faults ? std::min(kMostPayload, spec.max_payload.count) : kMostPayload;
}

int packets_together(const PcieLinkSpec& spec) {
  if (spec.faults) return 1;
  const auto most = static_cast<int>(kMostPayload / spec.max_payload.count);
  return std::max(1, std::min(most, posted_packets(spec) / 2));
}

// If the credits are good for fewer packets than an update waits for, both ends would wait for each other. So the
// update goes out before the sender lacks credits for packets that go together.
Receipts::Receipts(const PcieLinkSpec& spec)
    : acknowledges_(!spec.faults),
      ack_every_(spec.ack_every),
      posted_every_(std::min(spec.update_fc_every, posted_packets(spec) - packets_together(spec) + 1)),
      nonposted_every_(std::min(spec.update_fc_every, spec.nonposted_header_credits)) {}

Dllps Receipts::took(const Tlps& tlps) {
  (tlps.kind == Tlps::Kind::write ? posted_ : nonposted_) += credits_of(tlps);
  if (acknowledges_) unacknowledged_ += tlps.packets;
  Dllps due{.acks = whole(unacknowledged_, ack_every_), .updates = 0, .credits = {}};
  if (tlps.kind == Tlps::Kind::completion) return due;
  const bool posted = tlps.kind == Tlps::Kind::write;
  int& packets = posted ? posted_since_update_ : nonposted_since_update_;
  packets += tlps.packets;
  due.updates = whole(packets, posted ? posted_every_ : nonposted_every_);
  if (due.updates > 0) due.credits = std::exchange(posted ? posted_ : nonposted_, {});
  return due;
}

Credits Receipts::kept() const {
  Credits sum = posted_;
  return sum += nonposted_;
}

PcieLane::PcieLane(const PcieLinkSpec& spec, std::size_t sources)
    : in(sources),
      spec_(spec),
      byte_time_fs_(1e15 / raw_bandwidth(spec).bytes_per_second),
      credits_{spec.posted_header_credits, spec.posted_data_credits, spec.nonposted_header_credits},
      posted_headers_(kPostedHeaders, credits_.posted_headers, Occupancy::with<&Credits::posted_headers>(credits_back)),
      posted_data_(kPostedData, credits_.posted_data, Occupancy::with<&Credits::posted_data>(credits_back)),
      nonposted_headers_(kNonpostedHeaders, credits_.nonposted_headers,
                         Occupancy::with<&Credits::nonposted_headers>(credits_back)) {}

void PcieLane::step() {
  if (send_dllps() || send_tlps() || !sources_closed()) return;
  hear_updates();
  in[in.size() - 1].read();  // this read ends the lane
}

bool PcieLane::send_tlps() {
  if (!next_tlps()) return false;
  if (next_->packets == 0)
    begun_.push_back(*std::exchange(next_, nullptr));
  else
    send_next();
  return true;
}

bool PcieLane::send_dllps() {
  Dllps due;
  if (!dllps.pull(due)) return false;
  occupy(spec_.dllp_size.count * due.count());
  if (due.updates > 0) updates.push(due.credits);
  return true;
}

bool PcieLane::next_tlps() {
  for (std::size_t source = in.size(); next_ == nullptr && source > 0;) {
    next_ = in[--source].pull_in_place();
    from_ = source;
  }
  return next_ != nullptr;
}

Credits PcieLane::cost_of_next() const {
  Credits cost = credits_of(*next_);
  if (ends_begun())
    for (const Tlps& before : begun_) cost += credits_of(before);
  return cost;
}

/// Tells whether the packet has its credits; reads the credits that came back only if they matter.
bool PcieLane::has_credits(const Credits& cost) {
  if (cost.posted_headers > 0) {
    posted_headers_.want(cost.posted_headers);
    posted_data_.want(cost.posted_data);
  }
  if (!credits_.cover(cost)) hear_updates();
  return credits_.cover(cost);
}

void PcieLane::take_credits(const Credits& cost) {
  credits_ -= cost;
  if (cost.posted_headers > 0) {
    posted_headers_.take(cost.posted_headers);
    posted_data_.take(cost.posted_data);
  }
  if (cost.nonposted_headers > 0) nonposted_headers_.take(cost.nonposted_headers);
}

void PcieLane::send_next() {
  const Credits cost = cost_of_next();
  if (!has_credits(cost)) return;
  take_credits(cost);
  transmit(*std::exchange(next_, nullptr));
}

void PcieLane::transmit(const Tlps& tlps) {
  const std::int64_t all = wire_size(tlps);
  const std::int64_t first = tlps.kind == Tlps::Kind::completion ? all / tlps.packets : all;
  const Time spacing = occupy(first);
  if (ends_begun()) {
    for (const Tlps& before : begun_) hand_over(before, spacing);
    begun_.clear();
  }
  hand_over(tlps, spacing);
  if (all > first) occupy(all - first);
}

std::vector<Tlps> PcieLane::take_begun() {
  return ends_begun() ? std::exchange(begun_, {}) : std::vector<Tlps>();
}

std::int64_t PcieLane::wire_size(const Tlps& tlps) const {
  std::int64_t payload = tlps.carries_data() ? tlps.bytes : 0;
  if (ends_begun()) payload += static_cast<std::int64_t>(begun_.size()) * kMostPayload;
  const bool completions = tlps.kind == Tlps::Kind::completion;
  const Bytes overhead = completions ? spec_.completion_overhead : spec_.request_overhead;
  return payload + tlps.packets * overhead.count;
}

void PcieLane::hand_over(const Tlps& tlps, Time spacing) {
  Tlps& sent = out.slot();
  copy(tlps, sent);
  sent.there = timer_.now() + spec_.flight;
  sent.spacing = spacing;
}

void PcieLane::hear_updates() {
  for (Credits credits; credits_back.pull(credits);) {
    credits_ += credits;
    for (Occupancy* kind : {&posted_headers_, &posted_data_, &nonposted_headers_}) kind->came_back();
  }
}

Time PcieLane::occupy(std::int64_t bytes) {
  const Time time = wire_time(bytes);
  wire_bytes_ += static_cast<std::uint64_t>(bytes);
  timer_.wait(time);
  return time;
}

Time PcieLane::wire_time(std::int64_t bytes) const {
  return Time::fs(std::llround(static_cast<double>(bytes) * byte_time_fs_));
}

}  // namespace isthmus::fabric
