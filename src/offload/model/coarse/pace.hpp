#pragma once

#include <map>
#include <memory>
#include <optional>

#include "offload/model/coarse/sample.hpp"

namespace isthmus::offload::model {

/// What an activity takes while nothing else goes on, and what it takes of each actor of the board.
struct Alone {
  Time time;
  Spent spent;
};

/// How fast activities go on, found by samples of the fine machine and kept. What lasts is sampled until it is steady;
/// the rest of it takes what its bytes take at that rate.
class Pace {
 public:
  Pace(const Loaded& loaded, const RunOrder& order);

  /// Samples it now, while memory is as the activity finds it.
  void look_at(const Activity& activity);
  /// `bytes` is what passes the activity's ports until it ends. It was looked at before.
  std::shared_ptr<const Alone> alone(const Activity& activity, std::uint64_t bytes);

 private:
  /// An activity at the end of its sample and, where it had not ended then, at half of it.
  struct Steady {
    Time limit;
    Sample late;
    std::optional<Sample> early;
    std::shared_ptr<const Alone> alone;  ///< null until it is asked for
    bool lasts() const { return early.has_value(); }
    /// The lasting rate, in bytes a second.
    double rate() const;
  };

  Steady& steady(const Activity& activity);
  Time into_refresh(const Activity& activity) const;
  Steady observe(const Activity& activity, Time start) const;
  Alone extrapolated(const Activity& activity, const Steady& seen, std::uint64_t bytes);
  /// The activity begins at `start`; times in the sample count from there.
  Sample sampled(const Activity& activity, Time limit, Time start) const;

  Loaded loaded_;
  RunOrder order_;
  std::map<ActivityKey, Steady> steady_;
};

}  // namespace isthmus::offload::model
