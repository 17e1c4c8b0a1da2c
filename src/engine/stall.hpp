#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isthmus/engine/detail/actor.hpp"

namespace isthmus::engine {

/// Names in one line the actors that still step while no token has moved for some wall time. No result depends on it.
class Stall {
 public:
  /// The effort of an actor's run to its horizon, in units of `spent`; it may have slept through most of it.
  static constexpr std::size_t kHorizon = 1024;

  Stall(const RunOptions& options, std::size_t channels)
      : patience_(options.patience), tell_(options.tell), much_(8 * (kHorizon + channels)) {}

  /// Adds `effort`, in units of at least some 100 ns, and looks now and then whether tokens move.
  void spent(std::size_t effort, const std::vector<Actor*>& actors, const std::vector<Channel*>& channels) {
    effort_ += effort;
    if (effort_ < much_) [[likely]]
      return;
    effort_ = 0;
    look(actors, channels);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void look(const std::vector<Actor*>& actors, const std::vector<Channel*>& channels);

  std::chrono::nanoseconds patience_;
  std::function<void(const std::string&)> tell_;
  std::size_t much_;  ///< effort between two looks: it makes a look at every channel a small part of the work
  std::size_t effort_ = 0;
  bool told_ = false;  ///< whether this stall was reported
  bool looked_ = false;
  std::uint64_t moved_ = 0;  ///< tokens moved, at the last look that found more of them than the one before
  Clock::time_point since_;  ///< time of that look
};

}  // namespace isthmus::engine
