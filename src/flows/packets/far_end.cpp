#include "flows/packets/far_end.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus::program {
namespace {

/// With a larger share on each of two lines, so many packets in a row may be lost that nobody knows which comes next
/// (PacketChecker).
constexpr double kMostCorrupt = 0.4;

fabric::NetworkSpec with_faults(fabric::NetworkSpec line, const Faults& faults) {
  line.corrupt = faults.corrupt;
  return line;
}

}  // namespace

void PacketSender::step() {
  const int packet = static_cast<int>(sent_.size());
  if (packet == 0) {
    configurers.wait();
    due_ = timer_.now();
  }
  timer_.works_on(packet);
  timer_.wait_until(due_);
  stalls_.maybe(timer_);
  bytes_.resize(packets_.length(packet));
  packets_.fill(packet, bytes_);
  sent_.push_back(timer_.now());
  const Time held = fabric::line_time(line_, static_cast<std::int64_t>(bytes_.size()));
  due_ += Time::seconds(held.seconds() / packets_.load);
  fabric::send_packet(out, bytes_);
}

void PacketSink::step() {
  const fabric::PacketPiece& piece = in.read_in_place();
  if (piece.sop) begin_packet();
  packets_.take(std::span(piece.data).first(piece.bytes));
  if (!piece.eop) return;
  received_.push_back(timer_.now());
  packets_.end_packet();
}

void PacketSink::begin_packet() {
  die_after(faults_, static_cast<int>(received_.size()));
  stalls_.maybe(timer_);
  packets_.begin_packet();
}

FarEnd::FarEnd(Graph& graph, const Job& job, const fabric::NetworkSpec& line, PacketsBeside& beside,
               const FarHost& host)
    : graph_(graph),
      spec_(with_faults(line, job.faults)),
      sender_(graph.add<PacketSender>("sender", {.group = kHostGroup}, job, spec_, host.configurers)),
      sink_(graph.add<PacketSink>("receiver", {.group = kHostGroup}, beside, job.faults, host.listeners)),
      in_(graph.add<fabric::NetworkLine>(fabric::kNetworkIn, {.group = kLinkGroup}, spec_)),
      out_(graph.add<fabric::NetworkLine>(fabric::kNetworkOut, {.group = kLinkGroup}, spec_)) {
  if (job.faults.corrupt > kMostCorrupt)
    throw Error(fmt::format("--faults corrupt: expected at most {} of a network's packets, got {}", kMostCorrupt,
                            job.faults.corrupt));
  const Time hand_over = Time::ns(1);
  graph.connect(sender_.out, in_.in,
                {.depth = fabric::kPieces, .latency_time = hand_over, .return_latency_time = hand_over});
  graph.connect(
      out_.out, sink_.in,
      {.depth = fabric::pieces_under_way(line), .latency_time = line.latency, .return_latency_time = hand_over});
}

void FarEnd::connect(In<fabric::PacketPiece>& arriving) {
  graph_.connect(
      in_.out, arriving,
      {.depth = fabric::pieces_under_way(spec_), .latency_time = spec_.latency, .return_latency_time = Time::ns(1)});
}

void FarEnd::connect(Out<fabric::PacketPiece>& leaving) {
  graph_.connect(leaving, out_.in,
                 {.depth = fabric::kPieces, .latency_time = Time::ns(1), .return_latency_time = Time::ns(1)});
}

platform::PartPlan FarEnd::part(const fabric::NetworkLine& line) const {
  return {.name = &line == &in_ ? fabric::kNetworkIn : fabric::kNetworkOut,
          .keys = {"network.rate", "network.overhead", "network.least"},
          .actors = {graph_.id(line)}};
}

FlowTimes times_of(const PacketTimes& packets, std::span<const int> order) {
  const auto& [sent, received] = packets;
  if (received.empty()) throw Error("no packet has come back from the kernel; `eop` ends a packet");
  FlowTimes times;
  times.elapsed = received.back() - sent.front();
  for (std::size_t i = 0; i < order.size(); ++i)
    times.latencies.push_back(received[i] - sent[static_cast<std::size_t>(order[i])]);
  return times;
}

}  // namespace isthmus::program
