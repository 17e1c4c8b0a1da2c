#pragma once

#include <bitset>
#include <functional>
#include <optional>
#include <vector>

#include "engine/reference_channel.hpp"

namespace isthmus::reference {

/// The next number of an actor's random sequence.
using Draw = std::function<Value()>;

/// A failed poll, and what would let it succeed.
struct Refusal {
  enum class Poll { token, room, closed, all_closed } poll;
  std::size_t port = 0;
  std::size_t index = 0;  ///< of the token or push polled for; tokens pulled so far for `closed`
};

/// What the end of a run wants to know of a step.
struct StepRecord {
  Tick start = 0;
  State before{};
  bool clocked = true, failed_poll = false;
  bool moved = false, waited = false, changed = false, drew = false, read_time = false, promised = false,
       waited_until = false;
  bool watched = false, idle = false;
  std::vector<Refusal> refusals{};
  bool quiet() const { return !moved && !waited; }
  bool leaves_all() const { return !changed && !drew && !read_time; }
  bool repeats() const { return quiet() && leaves_all(); }
  bool silent() const { return !moved && !waited && (failed_poll || !clocked); }
};

/// An actor that goes through its program tick by tick, as docs/time.md says.
class Actor {
 public:
  Actor(const ActorSpec& spec, std::vector<Channel*> inputs, std::vector<Channel*> outputs, Draw draw);

  /// The next instant at which it does something, as far as is decided.
  std::optional<std::int64_t> due() const;
  /// Everything it does at `instant`, which is due().
  void act(std::int64_t instant);

  const ActorSpec& spec() const { return spec_; }
  bool finished() const { return phase_ == Phase::finished; }
  /// The channel it waits for with nothing on its way to end that, if it does.
  const Channel* pushes_for_good_into() const;
  const Channel* reads_for_good_from() const;
  bool blocked_for_good() const { return pushes_for_good_into() || reads_for_good_from(); }
  bool idle_without_known_wake() const;
  /// Busy, starved and blocked until `end`.
  ActorActivity activity(std::int64_t end) const;

 private:
  enum class Phase { between, in_step, pushing, reading, asleep, finished };

  void begin();
  void complete_step();
  bool is_watched(Tick before, Tick start) const;
  bool is_idle(const StepRecord& step) const;
  void end_step();
  void finish();
  bool wants_to_finish() const;
  bool all_inputs_closed() const;

  void perform();
  void access(const Instruction& instruction);
  bool attempt();
  void retry(Tick tick);
  void ask(const Instruction& instruction);
  void keep_time(const Instruction& instruction);
  void wait_till(Tick tick);
  void take(bool keep);
  void refuse(Refusal refusal);
  void move_to(Tick tick);
  std::optional<Tick> turns(const Refusal& refusal) const;

  const ActorSpec& spec_;
  TickLine line_;
  std::vector<Channel*> inputs_, outputs_;
  Draw draw_;
  std::vector<Code> code_;

  Phase phase_ = Phase::between;
  State state_;
  Frame frame_;
  Tick now_ = 0;                ///< of the step; the start of the next one between two
  Tick retry_ = 0;              ///< when a blocked clocked actor tries again
  Tick blocked_ticks_ = 0;      ///< in this step
  Channel* channel_ = nullptr;  ///< that the step blocks on
  using Ports = std::bitset<2 * kArrayPorts>;
  Ports accessed_, refused_head_, refused_room_, refused_closed_;  ///< at `now_`
  Tick active_ = -1;    ///< when it last moved a token or had waited for a time
  int operations_ = 0;  ///< at one instant
  std::optional<StepRecord> current_;
  std::vector<StepRecord> complete_;  ///< the last two at most
  std::int64_t starved_ = 0, blocked_ = 0;
};

}  // namespace isthmus::reference
