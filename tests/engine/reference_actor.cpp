#include "engine/reference_actor.hpp"

#include <algorithm>
#include <isthmus/base/error.hpp>

namespace isthmus::reference {
namespace {

constexpr int kFirstOutput = kArrayPorts;  ///< place of the first output in a set of ports
constexpr int kOperationsAtOneInstant = 1'000'000;

bool writes(Op op) {
  return op == Op::push || op == Op::slot;
}
std::size_t place(const Instruction& instruction) {
  const bool out = writes(instruction.op) || instruction.op == Op::room;
  return static_cast<std::size_t>(instruction.port + (out ? kFirstOutput : 0));
}

}  // namespace

Actor::Actor(const ActorSpec& spec, std::vector<Channel*> inputs, std::vector<Channel*> outputs, Draw draw)
    : spec_(spec),
      line_(spec.clock),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      draw_(std::move(draw)),
      code_(flatten(spelled_out(spec.program, inputs_.size()))) {}

std::optional<std::int64_t> Actor::due() const {
  switch (phase_) {
    case Phase::between:
    case Phase::in_step:
      return line_.time(now_);
    case Phase::pushing:
      if (!line_.clocked()) return channel_->room_for(channel_->pushed());
      return line_.time(retry_);
    case Phase::reading:
      if (line_.clocked()) return line_.time(retry_);
      if (const auto visible = channel_->visible_from(channel_->popped())) return visible;
      return channel_->closed_from(channel_->popped());
    case Phase::asleep: {
      std::optional<Tick> first;
      for (const auto& refusal : complete_.back().refusals)
        if (const auto at = turns(refusal)) first = std::min(first.value_or(*at), *at);
      return first;
    }
    case Phase::finished:
      break;
  }
  return std::nullopt;
}

void Actor::act(std::int64_t instant) {
  operations_ = 0;
  if (phase_ == Phase::asleep) {
    starved_ += instant - now_;
    move_to(instant);
    begin();
  } else if (phase_ == Phase::between) {
    begin();
  } else if (phase_ == Phase::pushing || phase_ == Phase::reading) {
    retry(line_.clocked() ? retry_ : instant);
  }
  while (phase_ == Phase::in_step && line_.time(now_) == instant) {
    if (++operations_ > kOperationsAtOneInstant) throw Error(spec_.name + ": a million operations at one instant");
    perform();
  }
}

// A step, from its beginning to its end.

void Actor::begin() {
  if (line_.clocked() && current_) {
    if (current_->silent()) starved_ += line_.time(now_) - line_.time(current_->start);
    complete_step();
  }
  if (wants_to_finish()) return finish();
  frame_ = Frame{};
  blocked_ticks_ = 0;
  current_ = StepRecord{.start = now_, .before = state_, .clocked = line_.clocked()};
  current_->watched = is_watched(complete_.empty() ? -1 : complete_.back().start, now_);
  const bool close_matters = spec_.done.when == Done::When::never || !line_.clocked();
  if (close_matters && !inputs_.empty() && !all_inputs_closed())
    current_->refusals.push_back({Refusal::Poll::all_closed});
  phase_ = Phase::in_step;
}

/// The first to start at or after a mark, where nothing has happened since the mark before.
bool Actor::is_watched(Tick before, Tick start) const {
  constexpr Tick kFar = 65536;
  if (!line_.clocked() || !spec_.trivial) return false;
  Tick mark = 0, last = 0;
  for (Tick next = 1; next <= start; next = next < kFar ? 2 * next : next + kFar) last = mark, mark = next;
  return mark > before && active_ < last;
}

bool Actor::is_idle(const StepRecord& step) const {
  if (!line_.clocked()) {
    if (step.silent()) return true;  // not stepped again before an answer turns, whatever it read
    const bool waits_again = step.waited && !complete_.empty() && complete_.back().waited;
    return spec_.trivial && waits_again && !step.moved && !complete_.back().moved && step.leaves_all() &&
           !step.waited_until;
  }
  if (!spec_.trivial) return step.silent() && step.promised && !step.read_time;
  if (!step.repeats()) return false;
  if (step.watched) return true;
  if (complete_.empty()) return false;
  const StepRecord& before = complete_.back();
  return step.silent() ? before.silent() : before.idle && !before.failed_poll;
}

void Actor::complete_step() {
  current_->idle = is_idle(*current_);
  if (complete_.size() == 2) complete_.erase(complete_.begin());
  complete_.push_back(std::move(*current_));
  current_.reset();
}

void Actor::end_step() {
  current_->changed = state_ != current_->before;
  if (line_.clocked()) {
    move_to(std::max(current_->start + spec_.initiation_interval + blocked_ticks_, now_ + 1));
    phase_ = Phase::between;
    return;
  }
  const bool silent = current_->silent();
  if (current_->waited && spec_.done.when != Done::When::never)  // nobody waits for the inputs to close
    std::erase_if(current_->refusals, [](const auto& r) { return r.poll == Refusal::Poll::all_closed; });
  complete_step();
  if (wants_to_finish()) return finish();
  if (!silent) return begin();
  phase_ = Phase::asleep;
}

void Actor::finish() {
  phase_ = Phase::finished;
  for (auto* output : outputs_) output->close(now_);
}

bool Actor::wants_to_finish() const {
  if (spec_.done.when != Done::When::never) return spec_.done(state_);
  return !inputs_.empty() && all_inputs_closed();
}

bool Actor::all_inputs_closed() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [&](const auto* input) { return input->is_closed(now_); });
}

void Actor::move_to(Tick tick) {
  now_ = tick;
  for (Ports* ports : {&accessed_, &refused_head_, &refused_room_, &refused_closed_}) ports->reset();
}

// One instruction: it is carried out, or time passes first and it is tried again.

void Actor::perform() {
  if (frame_.at == static_cast<int>(code_.size())) return end_step();
  if (control(code_, frame_, state_)) return;
  const Instruction& instruction = code_[static_cast<std::size_t>(frame_.at)].what;
  switch (instruction.op) {
    case Op::pull:
    case Op::drop:
    case Op::read:
    case Op::push:
    case Op::slot:
      return access(instruction);
    case Op::peek:
    case Op::front:
    case Op::room:
    case Op::closed:
      return ask(instruction);
    default:
      return keep_time(instruction);
  }
}

void Actor::access(const Instruction& instruction) {
  const auto port = static_cast<std::size_t>(instruction.port);
  const std::size_t at = place(instruction);
  if (line_.clocked() && accessed_[at]) return move_to(now_ + 1);
  channel_ = writes(instruction.op) ? outputs_[port] : inputs_[port];
  if (attempt()) return;
  if (instruction.op == Op::pull || instruction.op == Op::drop) {
    accessed_.set(at);
    refuse({Refusal::Poll::token, port, channel_->popped()});
    return;
  }
  phase_ = writes(instruction.op) ? Phase::pushing : Phase::reading;
  retry_ = now_ + 1;
}

/// The access of the current instruction on `channel_` at `now_`; false if it cannot succeed there.
bool Actor::attempt() {
  const Instruction& instruction = code_[static_cast<std::size_t>(frame_.at)].what;
  if (writes(instruction.op)) {
    if (!channel_->has_room(now_)) return false;
    channel_->push(now_, operand(instruction, frame_, state_));
    ++state_.pushed;
  } else if (channel_->has_token(now_)) {
    const Value value = channel_->pop(now_);
    if (instruction.op != Op::drop) frame_.value = value;
    if (instruction.op != Op::read) frame_.last = true;
    ++state_.pulled;
  } else if (instruction.op == Op::read && channel_->is_closed(now_)) {
    finish();
    return true;
  } else {
    return false;
  }
  accessed_.set(place(instruction));
  frame_.eventful = current_->moved = true;
  active_ = now_;
  ++frame_.at;
  return true;
}

void Actor::retry(Tick tick) {
  const Tick since = now_;
  const bool pushing = phase_ == Phase::pushing;
  move_to(tick);
  if (!attempt()) {
    now_ = since;
    ++retry_;
    return;
  }
  if (!finished()) phase_ = Phase::in_step;
  blocked_ticks_ += tick - since;
  (pushing ? blocked_ : starved_) += line_.time(tick) - line_.time(since);
}

void Actor::ask(const Instruction& instruction) {
  const auto port = static_cast<std::size_t>(instruction.port);
  const std::size_t at = place(instruction);
  Ports& refused = instruction.op == Op::room     ? refused_room_
                   : instruction.op == Op::closed ? refused_closed_
                                                  : refused_head_;
  if (line_.clocked() && refused[at]) return move_to(now_ + 1);
  Refusal refusal{Refusal::Poll::token, port, 0};
  if (instruction.op == Op::room) {
    frame_.last = outputs_[port]->has_room(now_);
    refusal = {Refusal::Poll::room, port, outputs_[port]->pushed()};
  } else if (instruction.op == Op::closed) {
    frame_.last = inputs_[port]->is_closed(now_);
    refusal = {Refusal::Poll::closed, port, inputs_[port]->popped()};
  } else {
    frame_.last = inputs_[port]->has_token(now_);
    refusal.index = inputs_[port]->popped();
    if (frame_.last) frame_.value = inputs_[port]->head();
  }
  if (frame_.last) {
    ++frame_.at;
  } else {
    refused.set(at);
    refuse(refusal);
  }
}

void Actor::refuse(Refusal refusal) {
  frame_.last = false;
  frame_.refused = true;
  current_->failed_poll = true;
  current_->refusals.push_back(refusal);
  ++frame_.at;
}

void Actor::keep_time(const Instruction& instruction) {
  ++frame_.at;
  frame_.eventful = frame_.eventful || (instruction.op != Op::sleep && instruction.op != Op::front_time);
  switch (instruction.op) {
    case Op::wait_until:
      if (line_.at_or_after(span(instruction, state_)) > now_) current_->waited_until = true;
      return wait_till(line_.at_or_after(span(instruction, state_)));
    case Op::wait_on:
      current_->read_time = true;
      return wait_till(line_.at_or_after(line_.time(now_) + span(instruction, state_)));
    case Op::wait:
      return wait_till(now_ + span(instruction, state_));
    case Op::sleep:
      current_->promised = !frame_.eventful && frame_.refused;
      return;
    case Op::draw:
      current_->drew = true;
      frame_.value = draw_() % static_cast<Value>(instruction.a);
      return;
    case Op::now:
      current_->read_time = true;
      frame_.value = static_cast<Value>(line_.time(now_));
      return;
    default: {
      const Channel& channel = *inputs_[static_cast<std::size_t>(instruction.port)];
      frame_.value = static_cast<Value>(line_.time(*channel.visible_from(channel.popped())));
    }
  }
}

void Actor::wait_till(Tick tick) {
  if (tick <= now_) return;
  current_->waited = true;
  active_ = tick;
  move_to(tick);
}

// What the end of a run asks.

std::optional<Tick> Actor::turns(const Refusal& refusal) const {
  switch (refusal.poll) {
    case Refusal::Poll::token:
      return inputs_[refusal.port]->visible_from(refusal.index);
    case Refusal::Poll::room:
      return outputs_[refusal.port]->room_for(refusal.index);
    case Refusal::Poll::closed:
      return inputs_[refusal.port]->closed_from(refusal.index);
    case Refusal::Poll::all_closed:
      break;
  }
  Tick last = 0;
  for (const auto* input : inputs_) {
    const auto closed = input->closed_from(input->popped());
    if (!closed) return std::nullopt;
    last = std::max(last, *closed);
  }
  return last;
}

const Channel* Actor::pushes_for_good_into() const {
  return phase_ == Phase::pushing && channel_->full_of_unread() ? channel_ : nullptr;
}

const Channel* Actor::reads_for_good_from() const {
  const bool for_good =
      phase_ == Phase::reading && channel_->pushed() == channel_->popped() && !channel_->writer_finished();
  return for_good ? channel_ : nullptr;
}

bool Actor::idle_without_known_wake() const {
  if (complete_.empty()) return false;
  const StepRecord& last = complete_.back();
  const auto comes = [&](const Refusal& refusal) { return turns(refusal).has_value(); };
  if (std::any_of(last.refusals.begin(), last.refusals.end(), comes)) return false;
  return last.idle;
}

ActorActivity Actor::activity(std::int64_t end) const {
  ActorActivity activity;
  if (finished()) {
    activity.finish = end = line_.time(now_);
    activity.state = state_;
  }
  activity.lifetime = std::max<std::int64_t>(0, end - line_.time(0));
  activity.starved = starved_;
  activity.blocked = blocked_;
  if (phase_ == Phase::pushing) activity.blocked += end - line_.time(now_);
  if (phase_ == Phase::reading || phase_ == Phase::asleep) activity.starved += end - line_.time(now_);
  activity.busy = activity.lifetime - activity.starved - activity.blocked;
  return activity;
}

}  // namespace isthmus::reference
