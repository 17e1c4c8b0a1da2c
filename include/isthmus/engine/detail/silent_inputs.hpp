#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isthmus/engine/detail/actor.hpp"

namespace isthmus::engine {

/// The inputs of an array that are known to be silent for some time: none of their heads becomes visible before the
/// least of their bounds, whatever their writers still do. Their polls fail together, so that a look at many inputs
/// costs only as much as a look at those that may have a token.
class SilentInputs {
 public:
  /// Takes `count` ports, `stride` bytes from one to the next.
  SilentInputs(std::byte* ports, std::size_t count, std::size_t stride);

  /// Polls the heads of all inputs at this tick, in turn, and returns the places of the inputs that the caller has to
  /// poll itself.
  std::span<const std::uint32_t> poll();
  /// Adds a failed poll at `at` for each of the silent inputs.
  void tell(FailedPolls& failed_polls, Tick at) const;

 private:
  PortState& port(std::size_t place) const;
  bool polled_in_this_step() const;
  void look();
  Tick silent_before(std::size_t place) const;

  std::byte* ports_;
  std::size_t stride_;
  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> awake_;
  std::vector<std::uint32_t> silent_;
  Tick before_ = -1;  ///< tick up to which that holds
  JointPolls joint_;  ///< failed polls of the silent inputs
};

/// Replaces each poll of silent inputs by the polls of its inputs.
void spell_out(FailedPolls& failed_polls);

}  // namespace isthmus::engine
