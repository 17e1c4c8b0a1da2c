#pragma once

#include "offload/model/coarse/pace.hpp"
#include "offload/model/coarse/turn.hpp"

namespace isthmus::offload::model {

/// The device of a coarse machine, and the host's memory as copies see it: does at once what an activity writes, and
/// tells how long it takes. One activity follows another: it ends the run with an error where two are under way at
/// once.
class CoarseDevice {
 public:
  PortArray<In<TurnCall>> calls;
  PortArray<Out<TurnReply>> replies;

  /// `spent` is what the fine machine's actors have done before anything goes on.
  CoarseDevice(std::size_t callers, const Loaded& loaded, Pace& pace, Spent spent);
  void step();

  /// What the fine machine's actors would have spent, as a part of a run's `report`; their ids are those of
  /// board_at_rest, moved by `ids`.
  void add_to(RunReport& report, std::size_t ids) const;

 private:
  std::shared_ptr<const Alone> carry_out(Activity activity, const TurnCall& call);
  std::uint64_t move_bytes(const Command& command);
  void count(const Spent& spent);

  Timer timer_;
  Loaded loaded_;
  Pace& pace_;
  Time busy_until_;
  Spent spent_;
};

}  // namespace isthmus::offload::model
