#pragma once

#include <vector>

#include "offload/model/coarse/pace.hpp"
#include "offload/model/coarse/turn.hpp"

namespace isthmus::offload::model {

/// The device of a coarse machine, and the host's memory as copies see it: does at once what activities write, and
/// tells each how long it still takes.
class CoarseDevice {
 public:
  PortArray<In<TurnCall>> calls;
  PortArray<Out<TurnReply>> replies;

  CoarseDevice(std::size_t callers, const Loaded& loaded, Pace& pace);
  void step();

  /// What the fine machine's actors would have spent on what has ended, as a part of a run's `report`; their ids are
  /// those of board_in_samples, moved by `ids`.
  void add_to(RunReport& report, std::size_t ids) const;

 private:
  /// What goes on, by caller.
  struct UnderWay {
    std::size_t caller;
    Activity activity;
    std::shared_ptr<const Alone> alone;
    double left;  ///< seconds that it would take alone
    double speed = 1;
  };
  using Place = std::vector<UnderWay>::iterator;

  Place begin(std::size_t caller, const TurnCall& call);
  std::uint64_t carry_out(const Command& command);
  void end(Place place);
  void count(const UnderWay& ended, double stretch);
  void advance();
  std::vector<Activity> activities() const;
  void set_speeds();

  Timer timer_;
  Loaded loaded_;
  Pace& pace_;
  std::vector<UnderWay> under_way_;
  Time advanced_to_;
  std::vector<ActorReport> actors_;
  std::vector<OccupancyReport> occupancies_;
};

}  // namespace isthmus::offload::model
