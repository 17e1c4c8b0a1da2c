#include "isthmus/fabric/pcie_data_link.hpp"

#include <fmt/format.h>

#include <utility>

#include "isthmus/base/error.hpp"
#include "isthmus/fabric/host.hpp"
#include "isthmus/stream/chance.hpp"
#include "isthmus/stream/pcie_interface.hpp"

namespace isthmus::fabric {
namespace {

/// Packets that may wait for their acknowledgement: fewer than half of the numbers (3.5.2.1).
constexpr std::size_t kMostKept = kSequences / 2 - 1;
/// Replays in a row that brought no packet across, after which the link is said to be down. A real one trains again
/// after four (REPLAY_NUM, 3.5.2.1), whose time depends on the board and is left out.
constexpr int kMostInVain = 1000;
/// Acknowledgements that wait for the lane.
constexpr int kWaiting = 64;

constexpr Time kAtOnce = Time::fs(1);

std::uint16_t after(std::uint16_t sequence, unsigned steps = 1) {
  return static_cast<std::uint16_t>((sequence + steps) % kSequences);
}

/// Tells whether `sequence` is at `of` or before it.
bool up_to(std::uint16_t sequence, std::uint16_t of) {
  return (of + kSequences - sequence) % kSequences < kSequences / 2;
}

Time longest_packet(const PcieLinkSpec& spec) {
  return transfer_time(Bytes{spec.max_payload.count + spec.request_overhead.count}, raw_bandwidth(spec));
}

}  // namespace

Time ack_latency(const PcieLinkSpec& spec) {
  return Time::fs(longest_packet(spec).femtoseconds() * spec.ack_every);
}

Time replay_timeout(const PcieLinkSpec& spec) {
  return Time::fs((ack_latency(spec) + spec.flight).femtoseconds() * 3);
}

void Alarm::step() {
  const Time at = in.read();
  timer_.wait_until(at);
  out.push(at);
}

void AlarmEnd::ring_at(Time at) {
  if (set_) return;
  set.push(at);
  set_ = true;
}

bool AlarmEnd::rang() {
  Time at;
  if (!rings.pull(at)) return false;
  set_ = false;
  return true;
}

ReplayingLane::ReplayingLane(const PcieLinkSpec& spec, std::size_t sources)
    : PcieLane(spec, sources), faults_(spec.faults.value_or(LinkFaults{})), timeout_(replay_timeout(spec)) {}

void ReplayingLane::step() {
  hear();
  if (send_acknowledgement() || send_dllps() || replay_next()) return;
  if (closed_) {
    over_ = owed.closed();
    return;
  }
  if (kept_.size() < kMostKept && send_tlps()) return;
  if (kept_.empty() && sources_closed()) close();
}

void ReplayingLane::hear() {
  for (Acknowledgement said; heard.pull(said);) {
    bool progress = false;
    for (; !kept_.empty() && up_to(kept_.front().sequence, said.sequence); progress = true) {
      kept_.pop_front();
      if (replayed_ > 0) --replayed_;
    }
    if (progress) {
      replays_in_vain_ = 0;
      restart_timer();
    }
    if (said.nak) begin_replay();
  }
  if (!alarm.rang() || kept_.empty()) return;
  if (timer_.now() >= deadline_)
    begin_replay();
  else if (deadline_ < Time::max())
    alarm.ring_at(deadline_);
}

/// Starts the timer, at the last packet that was sent or at progress; stops it if all packets are acknowledged.
void ReplayingLane::restart_timer() {
  deadline_ = kept_.empty() ? Time::max() : timer_.now() + timeout_;
  if (!kept_.empty()) alarm.ring_at(deadline_);
}

/// Begins a replay. The timer stands still until the first packet has been sent again.
void ReplayingLane::begin_replay() {
  if (kept_.empty()) return;
  if (++replays_in_vain_ > kMostInVain)
    throw Error(fmt::format("a PCIe link lost each packet of {} replays in a row: expected fewer faults", kMostInVain));
  replayed_ = 0;
  deadline_ = Time::max();
}

bool ReplayingLane::send_acknowledgement() {
  Acknowledgement said;
  if (!owed.pull(said)) return false;
  occupy(spec().dllp_size.count);
  acknowledgements.push(said);
  return true;
}

bool ReplayingLane::replay_next() {
  if (replayed_ == kept_.size()) return false;
  ++errors_.replayed;
  send(kept_[replayed_++]);
  return true;
}

void ReplayingLane::transmit(const Tlps& tlps) {
  const std::int64_t bytes = wire_size(tlps);
  Kept packet{.sequence = std::exchange(next_sequence_, after(next_sequence_)), .bytes = bytes, .tokens = take_begun()};
  packet.tokens.emplace_back();
  copy(tlps, packet.tokens.back());
  kept_.push_back(std::move(packet));
  replayed_ = kept_.size();
  send(kept_.back());
}

void ReplayingLane::send(Kept& packet) {
  const bool dropped = happens(random_, faults_.drop);
  const bool corrupted = !dropped && happens(random_, faults_.corrupt);
  const bool duplicated = happens(random_, faults_.duplicate);
  for (Tlps& token : packet.tokens) {
    token.sequence = packet.sequence & (kSequences - 1);
    token.corrupted = corrupted ? 1 : 0;
    token.ends = 0;
  }
  errors_.dropped += dropped ? 1 : 0;
  errors_.corrupted += corrupted ? 1 : 0;
  errors_.duplicated += duplicated ? 1 : 0;
  put(packet, !dropped);
  if (duplicated) put(packet, !dropped);
  if (deadline_ == Time::max()) restart_timer();
}

void ReplayingLane::put(Kept& packet, bool arrives) {
  const Time spacing = occupy(packet.bytes);
  if (!arrives) return;
  for (const Tlps& token : packet.tokens) hand_over(token, spacing);
}

/// Tells the other end that no data come any more; this lane goes on to carry the acknowledgements.
void ReplayingLane::close() {
  hear_updates();
  Tlps& end = out.slot();
  end.kind = Tlps::Kind::read;
  end.ends = 1;
  closed_ = true;
}

void DataLinkReceiver::step() {
  if (alarm.rang() && unacknowledged_ > 0) say(false);
  const Tlps* tlps = in.pull_in_place();
  if (tlps == nullptr) return;
  if (tlps->ends == 1)
    over_ = true;
  else if (tlps->corrupted == 0 && tlps->sequence == next_)
    accept(*tlps);
  else
    discard(*tlps);
}

void DataLinkReceiver::accept(const Tlps& tlps) {
  copy(tlps, out.slot());
  if (tlps.packets == 0) return;
  next_ = after(next_);
  nak_scheduled_ = false;
  if (++unacknowledged_ >= ack_every_)
    say(false);
  else
    alarm.ring_at(timer_.now() + latency_);
}

/// Drops a packet. The packets before it are acknowledged again, so that the other end does not replay because an
/// acknowledgement is missing (3.5.3.1).
void DataLinkReceiver::discard(const Tlps& tlps) {
  const bool came_before = tlps.corrupted == 0 && !up_to(next_, tlps.sequence);
  if (came_before) {
    if (tlps.packets > 0) say(false);
  } else if (!std::exchange(nak_scheduled_, true)) {
    say(true);
  }
}

void DataLinkReceiver::say(bool nak) {
  owed.push({.sequence = after(next_, kSequences - 1), .nak = nak});
  unacknowledged_ = 0;
}

namespace {

ChannelOptions channel(int depth, Time latency) {
  return {.depth = depth, .latency_time = latency, .return_latency_time = kHandOver};
}

void add_alarm(Graph& graph, const std::string& name, AlarmEnd& end) {
  auto& alarm = graph.add<Alarm>(name, {.group = kLinkGroup});
  graph.connect(end.set, alarm.in, channel(2, kAtOnce));
  graph.connect(alarm.out, end.rings, channel(2, kAtOnce));
}

/// The number of packets that the receiver's credits, and the reads of the other end, allow to come.
int most_on_the_way(const PcieLinkSpec& spec) {
  return most_requests(spec) + most_answers(spec);
}

}  // namespace

LinkDirection add_direction(Graph& graph, const std::string& name, const PcieLinkSpec& spec, std::size_t sources,
                            Time flight) {
  const ActorOptions options{.group = kLinkGroup};
  if (!spec.faults) {
    auto& lane = graph.add<PcieLane>(name, options, spec, sources);
    return {.lane = lane, .out = lane.out};
  }
  auto& sender = graph.add<ReplayingLane>(name, options, spec, sources);
  auto& receiver = graph.add<DataLinkReceiver>(name + ", data link", options, spec);
  add_alarm(graph, name + ", replay timer", sender.alarm);
  add_alarm(graph, name + ", acknowledgement timer", receiver.alarm);
  const Time passed = flight - in_host(spec);
  graph.connect(sender.out, receiver.in, channel(most_on_the_way(spec), passed));
  return {.lane = sender, .out = receiver.out, .passed = passed, .sender = &sender, .receiver = &receiver};
}

namespace {

void carry_back(Graph& graph, const PcieLinkSpec& spec, const LinkDirection& packets, const LinkDirection& back) {
  graph.connect(packets.receiver->owed, back.sender->owed, channel(kWaiting, kAtOnce));
  graph.connect(back.sender->acknowledgements, packets.sender->heard, channel(kWaiting, spec.flight));
}

}  // namespace

void tie_directions(Graph& graph, const PcieLinkSpec& spec, const LinkDirection& one, const LinkDirection& other) {
  if (!spec.faults) return;
  carry_back(graph, spec, one, other);
  carry_back(graph, spec, other, one);
}

}  // namespace isthmus::fabric
