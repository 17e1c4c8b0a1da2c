#pragma once

#include <optional>
#include <vector>

#include "engine/scenario.hpp"

namespace isthmus::reference {

/// Ticks and times of an actor: edges of a clock, or femtoseconds where it has none.
class TickLine {
 public:
  explicit TickLine(const std::optional<ClockSpec>& clock) : clock_(clock) {}
  bool clocked() const { return clock_.has_value(); }
  std::int64_t time(Tick tick) const;
  /// The first tick that is not before `time`.
  Tick at_or_after(std::int64_t time) const;
  /// Equal clocks and clocks of one PLL: no synchroniser needed.
  bool in_step_with(const TickLine& other) const;

 private:
  std::optional<ClockSpec> clock_;
};

/// A channel by the letter of docs/time.md: every token it ever carried, with the tick at which each end sees what.
class Channel {
 public:
  struct Token {
    Value value = 0;
    std::int64_t push_time = 0;
    Tick visible = 0;             ///< reader's tick
    std::optional<Tick> freed{};  ///< writer's tick, once popped
    std::int64_t pop_time = 0;
  };

  Channel(const ChannelSpec& spec, TickLine writer, TickLine reader);

  /// From which writer's tick on push number `index` (from 0) finds a slot, as far as is decided.
  std::optional<Tick> room_for(std::size_t index) const;
  /// From which reader's tick on token number `index` is visible, if it was pushed.
  std::optional<Tick> visible_from(std::size_t index) const;
  /// From which reader's tick on a reader that pulled `popped` tokens sees a closed channel, if that is decided.
  std::optional<Tick> closed_from(std::size_t popped) const;

  bool has_room(Tick writer_tick) const;
  bool has_token(Tick reader_tick) const;
  bool is_closed(Tick reader_tick) const;

  void push(Tick writer_tick, Value value);
  Value head() const { return tokens_[popped_].value; }
  Value pop(Tick reader_tick);
  void close(Tick writer_tick);

  std::size_t pushed() const { return tokens_.size(); }
  std::size_t popped() const { return popped_; }
  bool full_of_unread() const { return pushed() - popped_ == depth_; }
  bool writer_finished() const { return close_visible_.has_value(); }
  const std::vector<Token>& tokens() const { return tokens_; }

 private:
  Tick crossing(const TickLine& from, Tick tick, std::int64_t latency, const TickLine& to) const;

  std::size_t depth_;
  std::int64_t latency_, return_latency_;
  int synchroniser_;
  TickLine writer_, reader_;
  std::vector<Token> tokens_;
  std::size_t popped_ = 0;
  std::optional<Tick> close_visible_;
};

}  // namespace isthmus::reference
