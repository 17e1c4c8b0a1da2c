// In an observed run, the message on which each actor works. Its number travels with the tokens, in an array of each
// channel.
#include "occupancy.hpp"
#include "scheduler.hpp"

namespace isthmus::engine {

void works_on(Actor& actor, std::int64_t message) {
  if (actor.states == nullptr || message == actor.message) return;
  actor.message = message;
  actor.states->works_on(actor.name, time_of(actor), message);
}

/// Tokens that bring entries back do not change the message on which their reader works, because they belonged to
/// another one.
void Scheduler::observe_messages() {
  for (auto* channel : channels_) channel->messages.resize(channel->slots, -1);
  for (auto* actor : actors_) {
    actor->states = states_;
    states_->stands_under(actor->name, actor->group);
    for (const auto* occupancy : actor->occupancies)
      if (Channel* returns = OccupancyAccess::returns(*occupancy)) returns->returns = true;
  }
}

/// Call it before the channel's count of tokens changes.
void Scheduler::note_push(Channel& channel) {
  if (observer_ != nullptr) observer_->pushed(channel.index, time_of(*channel.writer));
  if (!channel.messages.empty()) channel.messages[channel.pushed() & (channel.slots - 1)] = channel.writer->message;
}

void Scheduler::note_pop(Channel& channel) {
  if (observer_ != nullptr) observer_->popped(channel.index, time_of(*channel.reader));
  if (channel.messages.empty() || channel.returns) return;
  const std::int64_t message = channel.messages[channel.popped() & (channel.slots - 1)];
  if (message >= 0) works_on(*channel.reader, message);
}

}  // namespace isthmus::engine
