#include "flows/packets/host_network.hpp"

#include <fmt/format.h>

#include "application/unclocked.hpp"
#include "isthmus/base/error.hpp"
#include "isthmus/platform/specs.hpp"

namespace isthmus::program {
namespace {

using fabric::StackPacket;

/// The card's side of the line from the network: a packet goes to each core's ring in turn.
class CardIn {
 public:
  In<fabric::PacketPiece> in{"in"};
  PortArray<Out<StackPacket>> cores;

  CardIn(int of_cores, PacketMemory& memory) : cores(of_cores, "cores"), memory_(memory) {}

  void step() {
    const fabric::PacketPiece& piece = in.read_in_place();
    packet_.insert(packet_.end(), piece.data.begin(), piece.data.begin() + piece.bytes);
    if (!piece.eop) return;
    memory_.enter(number_, packet_);
    packet_.clear();
    cores[static_cast<std::size_t>(number_) % cores.size()].push({number_});
    ++number_;
  }

 private:
  PacketMemory& memory_;
  std::vector<std::byte> packet_;
  std::int64_t number_ = 0;
};

/// Hands messages to host threads in turn, each when all of its packets are there.
class ReceiveQueue {
 public:
  PortArray<In<StackPacket>> cores;
  PortArray<Out<std::int64_t>> threads;

  ReceiveQueue(int of_cores, std::size_t of_threads, const PacketMemory& memory)
      : cores(of_cores, "cores"), threads(of_threads, "threads"), memory_(memory) {}

  void step() {
    const auto [number] = cores[static_cast<std::size_t>(next_) % cores.size()].read();
    const int message = memory_.message_of(number);
    next_ = number + 1;
    if (memory_.message_of(next_) != message) threads[static_cast<std::size_t>(message) % threads.size()].push(message);
  }

 private:
  const PacketMemory& memory_;
  std::int64_t next_ = 0;
};

/// Takes messages from host threads in turn and hands the packets of each to the cores.
class SendQueue {
 public:
  PortArray<In<std::int64_t>> threads;
  PortArray<Out<StackPacket>> cores;

  SendQueue(std::size_t of_threads, int of_cores, const PacketMemory& memory)
      : threads(of_threads, "threads"), cores(of_cores, "cores"), memory_(memory) {}

  void step() {
    const std::int64_t message = threads[static_cast<std::size_t>(next_++) % threads.size()].read();
    const std::int64_t first = message * memory_.in_message();
    for (std::int64_t packet = first; packet < first + memory_.in_message(); ++packet)
      cores[static_cast<std::size_t>(packet) % cores.size()].push({packet});
  }

 private:
  const PacketMemory& memory_;
  std::int64_t next_ = 0;
};

/// The card's side of the line to the network.
class CardOut {
 public:
  PortArray<In<StackPacket>> cores;
  Out<fabric::PacketPiece> out{"out"};

  CardOut(int of_cores, PacketMemory& memory) : cores(of_cores, "cores"), memory_(memory) {}

  void step() {
    const auto [number] = cores[static_cast<std::size_t>(next_++) % cores.size()].read();
    memory_.leave(number, [this](std::span<const std::byte> bytes) { fabric::send_packet(out, bytes); });
  }

 private:
  PacketMemory& memory_;
  std::int64_t next_ = 0;
};

/// Messages that a thread is ahead of whoever takes them, or behind.
constexpr int kMessagesAhead = 2;

}  // namespace

void PacketMemory::enter(std::int64_t number, std::span<const std::byte> bytes) {
  packets_.enter(static_cast<std::uint64_t>(number), bytes, place(number, std::span(room(message_of(number)).in)));
}

template <class Take>
void PacketMemory::leave(std::int64_t number, const Take& take) {
  const int message = message_of(number);
  const std::span<const std::byte> out = room(message).out;
  take(packets_.leave(place(number, out)));
  if (message_of(number + 1) == message) return;
  unused_.push_back(std::move(rooms_.extract(message).mapped()));
}

template <class Byte>
std::span<Byte> PacketMemory::place(std::int64_t packet, std::span<Byte> message) const {
  const std::size_t size = message.size() / static_cast<std::size_t>(in_message());
  return message.subspan(static_cast<std::size_t>(packet % in_message()) * size, size);
}

PacketMemory::Room& PacketMemory::room(int message) {
  if (const auto found = rooms_.find(message); found != rooms_.end()) return found->second;
  if (unused_.empty())
    unused_.push_back({std::vector<std::byte>(application_.input), std::vector<std::byte>(application_.output)});
  Room room = std::move(unused_.back());
  unused_.pop_back();
  return rooms_.emplace(message, std::move(room)).first->second;
}

HostNetwork::HostNetwork(const platform::Description& board, offload::ModelDevice& device, const Job& job,
                         PacketsBeside& beside)
    : device_(device),
      job_(job),
      line_(platform::kinds::network_spec(board.the("network"))),
      stack_(platform::kinds::network_stack_spec(board.the("stack"))),
      beside_(beside),
      memory_(job.application) {
  const Packets& packets = packets_of(job.application);
  if (!packets.enter || !packets.leave)
    throw Error(
        fmt::format("application '{}': expected places of packets in a message, got none", job.application.name));
}

void HostNetwork::begin(int message) {
  if (device_.hear() != message)
    throw Error(fmt::format("message {}: expected it from the network at its turn, got another", message));
}

void HostNetwork::end(int message) {
  device_.tell(message);
}

void HostNetwork::build(Graph& graph, std::span<const offload::HostThreadEnds> threads) {
  const ActorOptions host{.group = kHostGroup};
  far_ = std::make_unique<FarEnd>(graph, job_, line_, beside_);
  auto& card_in = graph.add<CardIn>("network card, in", host, stack_.cores, memory_);
  auto& card_out = graph.add<CardOut>("network card, out", host, stack_.cores, memory_);
  auto& receives = graph.add<ReceiveQueue>("queue of packets received", host, stack_.cores, threads.size(), memory_);
  auto& sends = graph.add<SendQueue>("queue of packets to send", host, threads.size(), stack_.cores, memory_);
  far_->connect(card_in.in);
  far_->connect(card_out.out);
  const ChannelOptions ring = unclocked(fabric::kRing);
  ChannelOptions software = unclocked(fabric::packets_under_way(stack_));
  software.latency_time = stack_.beside_work();
  cores_.clear();
  for (std::size_t i = 0; i < static_cast<std::size_t>(stack_.cores); ++i) {
    auto& core = graph.add<fabric::StackCore>(fmt::format("{} {}", fabric::kStackCore, i), host, stack_);
    cores_.push_back(graph.id(core));
    graph.connect(card_in.cores[i], core.arrived, ring);
    graph.connect(core.received, receives.cores[i], software);
    graph.connect(sends.cores[i], core.sent, ring);
    graph.connect(core.leaving, card_out.cores[i], software);
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    graph.connect(receives.threads[i], threads[i].told, unclocked(kMessagesAhead));
    graph.connect(threads[i].tells, sends.threads[i], unclocked(kMessagesAhead));
  }
}

std::vector<platform::PartPlan> HostNetwork::parts() const {
  return {far_->part_in(),
          {.name = fabric::kStackCore, .keys = {"host.network.packet", "host.network.cores"}, .actors = cores_},
          far_->part_out()};
}

void HostNetwork::ended(const RunReport& report) {
  times_ = far_->times();
  work_ = {};
  for (const ActorId core : cores_) work_ += report.actor(core).busy;
}

}  // namespace isthmus::program
