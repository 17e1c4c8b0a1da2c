#include "occupancy.hpp"

#include <algorithm>

namespace isthmus {
namespace {

__extension__ using Wide = __int128;

}  // namespace

void Occupancy::took(std::int64_t at, std::int64_t amount) {
  full_ += room_ - since_;
  since_ = room_ = std::max(at, room_);
  held_ += amount;
  taken_ += amount;
  wanted_ = amount;
  entry_time_ -= Wide{at} * amount;
  tell(at, amount);
}

void Occupancy::gave(std::int64_t at, std::int64_t amount) {
  if (full()) room_ = std::max(room_, at);
  held_ -= amount;
  entry_time_ += Wide{at} * amount;
  tell(at, -amount);
}

void Occupancy::tell(std::int64_t at, std::int64_t change) const {
  if (engine::kObservable && change != 0 && actor_->states != nullptr) [[unlikely]]
    actor_->states->entries(actor_->name, name_, Time::fs(at), change);
}

void Occupancy::returned(std::uint64_t token) {
  if (returns_.stocked && token < static_cast<std::uint64_t>(size_)) return;
  gave(came(*returns_.port, token), returns_.amount(returns_.port->channel->slot(token)));
}

void Occupancy::hold(Time room, Time begin, Time end, std::int64_t amount) {
  if (!kept()) return;
  if (taken_ > 0) room_ = std::max(room_, room.femtoseconds());
  took(begin.femtoseconds(), amount);
  held_ -= amount;
  entry_time_ += Wide{end.femtoseconds()} * amount;
  tell(end.femtoseconds(), -amount);
}

namespace engine {

OccupancyReport OccupancyAccess::close(Occupancy& occupancy, std::int64_t end, std::int64_t output_end) {
  const std::int64_t until = std::max(output_end, occupancy.since_);
  if (occupancy.returns_.port != nullptr) {
    const Channel& channel = *occupancy.returns_.port->channel;
    for (std::uint64_t token = channel.popped(); token < channel.pushed(); ++token) {
      const std::int64_t at = Occupancy::came(*occupancy.returns_.port, token);
      if (at >= end) continue;
      const std::int64_t held = occupancy.held_;
      occupancy.returned(token);
      occupancy.entry_time_ -= Wide{std::max<std::int64_t>(at - until, 0)} * (held - occupancy.held_);
    }
  }
  if (occupancy.full()) occupancy.room_ = std::max(occupancy.room_, end);
  occupancy.full_ += occupancy.room_ - occupancy.since_;
  occupancy.entry_time_ += Wide{until} * occupancy.held_;
  occupancy.tell(end, -occupancy.held_);  // the next observed run may be of the same parts
  OccupancyReport report{.actor = occupancy.actor_->id(),
                         .of = occupancy.name_,
                         .name = occupancy.actor_->name + ": " + occupancy.name_,
                         .size = occupancy.size_};
  report.taken = occupancy.taken_;
  report.full = Time::fs(occupancy.full_);
  if (report.taken > 0) report.round_trip = Time::fs(static_cast<std::int64_t>(occupancy.entry_time_ / report.taken));
  return report;
}

}  // namespace engine
}  // namespace isthmus
