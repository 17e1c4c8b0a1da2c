#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isthmus/engine/detail/actor.hpp"

namespace isthmus::engine {

/// Of the inputs of an array those that are known to be silent for some time: no head of theirs becomes visible before
/// the least of their bounds, whatever their writers still do. They are told "no" together, so that a look at many
/// inputs costs what those cost that may have something to say.
class SilentInputs {
 public:
  /// Of `count` ports, `stride` bytes from one to the next.
  SilentInputs(std::byte* ports, std::size_t count, std::size_t stride);

  /// Asks all inputs for their heads at this tick, in turn, but leaves to the caller those whose places it returns.
  std::span<const std::uint32_t> ask();
  /// Writes down what each of the silent ones was told at `at`.
  void tell(FailedPolls& failed_polls, Tick at) const;

 private:
  PortState& port(std::size_t place) const;
  bool asked_in_this_step() const;
  void look();
  Tick silent_before(std::size_t place) const;

  std::byte* ports_;
  std::size_t stride_;
  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> awake_;
  std::vector<std::uint32_t> silent_;
  Tick before_ = -1;   ///< up to when that holds
  ToldTogether told_;  ///< the silent ones
};

/// Puts in the place of polls of silent inputs those of each of them.
void spell_out(FailedPolls& failed_polls);

}  // namespace isthmus::engine
