#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isthmus/engine/detail/actor.hpp"
#include "isthmus/engine/graph.hpp"

namespace isthmus::engine {

/// Says in one line who still steps where no token has moved for some wall time. No result depends on it.
class Stall {
 public:
  /// What an actor does until its horizon, in units of `spent`: it may also have slept through most of it.
  static constexpr std::size_t kHorizon = 1024;

  Stall(const RunOptions& options, std::size_t channels)
      : patience_(options.patience), tell_(options.tell), much_(8 * (kHorizon + channels)) {}

  /// So much was done, in units of some 100 ns at least: looks now and then whether tokens move.
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
  std::size_t much_;  ///< makes a look at every channel a small part of the work
  std::size_t effort_ = 0;
  bool told_ = false;  ///< of this stall
  bool looked_ = false;
  std::uint64_t moved_ = 0;  ///< tokens, at the last look that found more than the one before
  Clock::time_point since_;  ///< of that look
};

}  // namespace isthmus::engine
