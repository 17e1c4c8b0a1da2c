#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "flows/packets/far_end.hpp"
#include "isthmus/application/exchange.hpp"
#include "isthmus/fabric/network_stack.hpp"
#include "isthmus/offload/model.hpp"

namespace isthmus::program {

/// Messages of packets in the host's memory. A packet's place is touched by whoever holds its token, a message's by the
/// host thread that has it.
class PacketMemory {
 public:
  explicit PacketMemory(const ByteApplication& application)
      : application_(application), packets_(packets_of(application)) {}

  std::span<const std::byte> input(int message) { return room(message).in; }
  std::span<std::byte> output(int message) { return room(message).out; }
  /// Puts the packet that is the `number`-th to come into its place.
  void enter(std::int64_t number, std::span<const std::byte> bytes);
  /// Hands what came of a packet to `take`; the last of a message frees its memory.
  template <class Take>
  void leave(std::int64_t number, const Take& take);

  int message_of(std::int64_t packet) const { return static_cast<int>(packet / in_message()); }
  int in_message() const { return application_.extras.in_message; }

 private:
  struct Room {
    std::vector<std::byte> in;
    std::vector<std::byte> out;
  };
  Room& room(int message);
  /// The place of a packet in its message, of the bytes of all.
  template <class Byte>
  std::span<Byte> place(std::int64_t packet, std::span<Byte> message) const;

  const ByteApplication& application_;
  const Packets& packets_;
  std::map<int, Room> rooms_;
  std::vector<Room> unused_;
};

/// A host that takes packets from a network, hands them to its host threads in messages, and sends what came of them:
/// beside a modelled machine, in its graph.
///
/// Its card writes packets into the host's memory; cores work on them; a thread has the messages of its number modulo
/// the threads. Packets leave in the order in which they came. A card whose rings are full makes the sender wait.
class HostNetwork final : public offload::Surroundings, public Exchange {
 public:
  HostNetwork(const platform::Description& board, offload::ModelDevice& device, const Job& job, PacketsBeside& beside);

  std::span<const std::byte> input(int message) override { return memory_.input(message); }
  std::span<std::byte> output(int message) override { return memory_.output(message); }
  void finished(int) override {}
  void begin(int message) override;
  void end(int message) override;

  void build(Graph& graph, std::span<const offload::HostThreadEnds> threads) override;
  std::vector<platform::PartPlan> parts() const override;
  void ended(const RunReport& report) override;

  /// Packet times of the last run.
  const PacketTimes& times() const { return times_; }
  /// The time that the cores worked on packets.
  Time work() const { return work_; }

 private:
  offload::ModelDevice& device_;
  const Job& job_;
  fabric::NetworkSpec line_;
  fabric::NetworkStackSpec stack_;
  PacketsBeside& beside_;
  PacketMemory memory_;
  std::unique_ptr<FarEnd> far_{};
  std::vector<ActorId> cores_{};
  PacketTimes times_{};
  Time work_{};
};

}  // namespace isthmus::program
