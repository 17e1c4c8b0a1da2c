#pragma once

#include <span>
#include <vector>

#include "flows/packets/packet_checker.hpp"
#include "isthmus/base/worker.hpp"

namespace isthmus::program {

/// Packets that come out of a model, compared by a thread beside, in their order.
class PacketsBeside {
 public:
  explicit PacketsBeside(PacketChecker& checker) : checker_(checker) {}

  void begin_packet() { begun_ = chunk_.bytes.size(); }
  void take(std::span<const std::byte> bytes) { chunk_.bytes.insert(chunk_.bytes.end(), bytes.begin(), bytes.end()); }
  void end_packet();
  /// Until all have been compared.
  void finish();

 private:
  /// Packets one behind the other.
  struct Chunk {
    std::vector<std::byte> bytes;
    std::vector<std::uint32_t> lengths;
  };
  void hand_over();

  PacketChecker& checker_;
  Chunk chunk_;
  std::size_t begun_ = 0;
  std::uint64_t given_ = 0;
  Worker worker_;
};

}  // namespace isthmus::program
