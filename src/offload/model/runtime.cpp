#include "offload/model/runtime.hpp"

#include <algorithm>

namespace isthmus::offload::model {

void RuntimeState::call(std::size_t thread, const HostCall& call) {
  if (call.kind != HostCall::Kind::enqueue) {
    waiters_.push_back({.thread = thread, .call = call, .slept = false});
    return;
  }
  call.command->order = enqueued_++;
  call.command->worker = call.command->unit == Unit::kernel ? busy_.size() - 1 : thread;
  queues_[call.object].push_back(call.command);
}

void RuntimeState::completed(Command& command, Time now) {
  command.complete = true;
  command.ran.end = base_ + now;
  command.after.clear();
  busy_.at(command.worker) = false;
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
  return first;
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

bool RuntimeState::idle() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.second.empty(); });
}

}  // namespace isthmus::offload::model
