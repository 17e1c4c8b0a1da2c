#include "offload/model/runtime.hpp"

#include <algorithm>

namespace isthmus::offload::model {

void RuntimeState::call(std::size_t thread, const HostCall& call) {
  if (call.kind != HostCall::Kind::enqueue) {
    waiters_.push_back({.thread = thread, .call = call, .slept = false});
    return;
  }
  call.command->order = enqueued_++;
  call.command->known = known_.at(thread);
  call.command->worker = call.command->unit == Unit::kernel ? busy_.size() - 1 : thread;
  queues_[call.object].push_back(call.command);
}

void RuntimeState::completed(Command& command, Time now) {
  command.complete = true;
  command.ran.end = base_ + now;
  for (std::size_t i = 0; i < kPieces; ++i) command.path.times.at(i) += command.spent.times.at(i);
  command.path[piece_of(command.unit)] += command.on_device();
  command.after.clear();
  busy_.at(command.worker) = false;
  done_by_worker_.at(command.worker) = &command;
  done_by_queue_[command.queue] = &command;
  queues_[command.queue].pop_front();
}

Command* RuntimeState::dispatch(std::size_t worker, Time now) {
  if (busy_.at(worker)) return nullptr;
  Command* first = nullptr;
  for (const auto& [id, queue] : queues_) {
    if (queue.empty() || queue.front()->worker != worker || !may_start(*queue.front())) continue;
    if (first == nullptr || queue.front()->order < first->order) first = queue.front();
  }
  if (first == nullptr) return nullptr;
  busy_.at(worker) = true;
  first->dispatched = true;
  first->ran.start = base_ + now;
  first->path = path_to(*first);
  return first;
}

/// The path of what let this command start: of all that it had to wait for, the one that ended last.
Pieces RuntimeState::path_to(const Command& command) const {
  const Command* last = command.known;
  const auto consider = [&last](const Command* other) {
    if (other != nullptr && other->complete && (last == nullptr || other->ran.end > last->ran.end)) last = other;
  };
  for (const auto& event : command.after) consider(event.get());
  consider(done_by_worker_.at(command.worker));
  if (const auto done = done_by_queue_.find(command.queue); done != done_by_queue_.end()) consider(done->second);
  Pieces path = last != nullptr ? last->path : Pieces{};
  path[Piece::host_thread] += command.ran.start - (last != nullptr ? last->ran.end : base_);
  return path;
}

bool RuntimeState::may_start(const Command& command) const {
  return !command.dispatched && std::ranges::all_of(command.after, [](const auto& event) { return event->complete; });
}

std::optional<RuntimeState::Answer> RuntimeState::answer() {
  for (auto waiter = waiters_.begin(); waiter != waiters_.end(); ++waiter) {
    Command* told = nullptr;
    if (!granted(*waiter, told)) {
      waiter->slept = true;
      continue;
    }
    learn(*waiter, told);
    const Answer answer{.thread = waiter->thread, .reply = {.command = told, .slept = waiter->slept}};
    waiters_.erase(waiter);
    return answer;
  }
  return std::nullopt;
}

bool RuntimeState::granted(const Waiter& waiter, Command*& told) {
  const HostCall& call = waiter.call;
  switch (call.kind) {
    case HostCall::Kind::wait:
      return call.command->complete;
    case HostCall::Kind::finish:
      return queues_[call.object].empty();
    case HostCall::Kind::put: {
      auto& box = boxes_[call.object];
      if (box.size() >= static_cast<std::size_t>(call.depth)) return false;
      box.push_back(call.command);
      return true;
    }
    case HostCall::Kind::take: {
      auto& box = boxes_[call.object];
      if (box.empty()) return false;
      told = box.front();
      box.pop_front();
      return true;
    }
    case HostCall::Kind::enqueue:
      return true;
  }
  return true;
}

void RuntimeState::learn(const Waiter& waiter, const Command* told) {
  const Command*& known = known_.at(waiter.thread);
  const Command* seen = waiter.call.kind == HostCall::Kind::wait ? waiter.call.command : told;
  if (waiter.call.kind == HostCall::Kind::finish) seen = done_by_queue_[waiter.call.object];
  if (seen != nullptr && seen->complete && (known == nullptr || seen->ran.end > known->ran.end)) known = seen;
}

bool RuntimeState::idle() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.second.empty(); });
}

Runtime::Runtime(std::size_t threads, Time base)
    : calls(threads), replies(threads), workers(threads + 1), completions(threads + 1), state_(threads, base) {}

void Runtime::step() {
  const bool completed = take_completions();
  const bool called = take_calls();
  if (completed || called) {
    dispatch();
    while (const auto answer = state_.answer()) replies[answer->thread].push(answer->reply);
    return;
  }
  if (!state_.idle()) return;
  finished_ = true;
  for (auto& call : calls) finished_ = call.closed() && finished_;
}

bool Runtime::take_completions() {
  bool any = false;
  for (auto& completion : completions) {
    CommandToken token{};
    if (!completion.pull(token)) continue;
    state_.completed(*token.command, timer_.now());
    any = true;
  }
  return any;
}

bool Runtime::take_calls() {
  bool any = false;
  for (std::size_t thread = 0; thread < calls.size(); ++thread) {
    HostCall call{};
    if (!calls[thread].pull(call)) continue;
    state_.call(thread, call);
    any = true;
  }
  return any;
}

void Runtime::dispatch() {
  for (std::size_t worker = 0; worker < workers.size(); ++worker)
    if (Command* command = state_.dispatch(worker, timer_.now())) {
      timer_.works_on(command->message);
      workers[worker].push({command});
    }
}

}  // namespace isthmus::offload::model
