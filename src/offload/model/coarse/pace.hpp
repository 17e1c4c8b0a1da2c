#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "offload/model/coarse/sample.hpp"

namespace isthmus::offload::model {

/// What an activity takes while nothing else goes on, and what it takes of each actor of the board.
struct Alone {
  Time time;
  Spent spent;
};

/// How fast activities go on, each by itself and several together, found by samples of the fine machine and kept. What
/// lasts is sampled until it is steady; the rest of it takes what its bytes take at that rate.
class Pace {
 public:
  Pace(const Loaded& loaded, const RunOrder& order);

  /// Samples it now, while memory is as the activity finds it.
  void look_at(const Activity& activity);
  /// `bytes` is what passes the activity's ports until it ends. It was looked at before.
  std::shared_ptr<const Alone> alone(const Activity& activity, std::uint64_t bytes);
  /// The speed of each of several activities beside the others: 1 is as fast as alone.
  std::vector<double> together(std::span<const Activity> activities);
  /// How long, in seconds, the last of several activities waits behind what the others have under way when it begins
  /// after them, beyond what they slow it down.
  double delay_of_last(std::span<const Activity> activities);

 private:
  /// An activity at the end of its sample and, where it had not ended then, at half of it.
  struct Steady {
    Time limit;
    Sample late;
    std::optional<Sample> early;
    std::shared_ptr<const Alone> alone;  ///< null until it is asked for
    const Progress& progress() const { return late.activities.front(); }
    bool lasts() const { return early.has_value(); }
    /// The lasting rate, in bytes a second.
    double rate() const;
    /// How long it takes alone until so many bytes have passed, in seconds.
    double until(std::uint64_t bytes) const;
  };

  Steady& steady(const Activity& activity);
  Time into_refresh(const Activity& activity) const;
  Steady observe(Activity activity, Time start) const;
  Alone extrapolated(const Activity& activity, const Steady& seen, std::uint64_t bytes);
  std::vector<double> slowed(std::span<const Activity> activities);
  std::vector<double> steadily_slowed(std::vector<Activity> activities, Time limit);
  std::vector<Activity> as_they_met(std::span<const Activity> activities);
  Sample sampled_to_ends(std::span<const Activity> activities, Time limit);
  /// A part of a sample in which the same activities go on.
  struct Phase {
    std::vector<std::size_t> active;
    double length;
  };
  static std::vector<Phase> phases_of(std::span<const Activity> activities, const Sample& seen);
  std::vector<double> speeds_in(const Phase& phase, std::span<const Activity> activities);
  std::vector<double> slowed_in(std::span<const Activity> activities, const Sample& seen);
  double delayed_in(std::span<const Activity> activities, const Sample& seen);
  double reached(const Activity& activity, const Progress& progress);
  /// All begin `start` later than they say; times in the sample count from there.
  Sample sampled(std::span<const Activity> activities, Time limit, Time start = {}) const;

  Loaded loaded_;
  RunOrder order_;
  Time shortest_;  ///< half of the shortest sample of what lasts
  std::map<ActivityKey, Steady> steady_;
  std::map<std::vector<ActivityKey>, std::vector<double>> together_;
  std::map<std::vector<ActivityKey>, double> delays_;  ///< of the last
};

}  // namespace isthmus::offload::model
