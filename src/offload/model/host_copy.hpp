#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isthmus/fabric/axi_port.hpp"
#include "isthmus/fabric/host_memory.hpp"
#include "isthmus/platform/grain.hpp"
#include "isthmus/stream.hpp"
#include "offload/model/coarse/turn.hpp"
#include "offload/model/command.hpp"
#include "offload/model/specs.hpp"

/// Copies between pageable and pinned memory.
namespace isthmus::offload::model {

/// A core that copies: at its rate, or as fast as the memory moves what it reads and writes, which others use too.
/// What fits a cache is copied there.
class CopyingCore {
 public:
  /// Ports to the host's memory; none if the core copies nothing.
  PortArray<Out<fabric::HostRequest>> moves;
  PortArray<In<fabric::HostMoved>> moved;

  /// Access to a coarse model of the board, in place of the memory.
  Turn turn;

  CopyingCore(const std::optional<CopySpec>& spec, platform::Grain grain);
  /// Lets the time pass that a copy takes.
  void copy(std::uint64_t bytes);
  /// What it has moved through memory, and when the last of it was.
  const fabric::AxiPassed& passed() const { return passed_; }

 private:
  void copy_through_memory(std::uint64_t bytes);
  void ask_for(std::uint64_t bytes);
  void await_oldest();

  Timer timer_;
  CopySpec spec_;
  int under_way_ = 0;
  fabric::AxiPassed passed_;
};

/// Copies for one host thread; without a rate the application's memory is pinned. A transfer to the device is copied
/// before it goes, one to the host when it has come: as a whole, or chunk by chunk, so that one is copied while another
/// is on the wire.
class HostCopy {
 public:
  CopyingCore core;
  In<CommandToken> in{"in"};
  Out<CommandToken> submit{"submit"};
  In<CommandToken> arrived{"arrived"};
  Out<CommandToken> out{"out"};

  /// `descriptors` are one behind the other for a whole transfer, each of this size and of so much payload at most.
  HostCopy(const std::optional<CopySpec>& spec, const std::optional<fabric::DmaSpec>& descriptors,
           platform::Grain grain);
  void step();
  /// It ends with the runtime.
  bool done() const { return false; }

 private:
  /// Chunks in pinned memory at once: one being copied, one on the wire.
  static constexpr std::uint64_t kPlaces = 2;

  void copy_whole(Command& command);
  void copy_in_chunks(Command& command);
  void submit_chunk(const Command& command, std::uint64_t index);
  void copy_chunk(Command& command, std::uint64_t index);
  void pass(Command& command, std::uint64_t bytes);

  Timer timer_;
  bool copies_;
  std::uint64_t descriptor_size_ = 0;
  std::uint64_t descriptor_payload_ = 0;
  std::array<Command, kPlaces> chunks_{};  ///< that are under way
};

}  // namespace isthmus::offload::model
