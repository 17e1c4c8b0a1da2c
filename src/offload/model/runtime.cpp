#include "offload/model/runtime.hpp"

#include <algorithm>

namespace isthmus::offload::model {

void RuntimeState::call(std::size_t thread, const HostCall& call) {
  if (call.kind != HostCall::Kind::enqueue) {
    waiters_.push_back({.thread = thread, .call = call, .slept = false});
    return;
  }
  Command& command = *call.enqueue.command;
  command.order = enqueued_++;
  command.known = known_.at(thread);
  queues_[command.queue].push_back(&command);
}

void RuntimeState::completed(CommandToken token, Time now) {
  Command& command = *token.command;
  command.ran.end = base_ + now;
  command.complete = true;
  command.path.host += command.spent;
  command.path.units[command.unit] += command.on_device();
  Done& done = done_[command.unit];
  done.time += command.on_device();
  done.bytes += static_cast<double>(command.bytes);
  busy_.at(command.worker) = false;
  if (command.work != DeviceWork::kernel) links_.end(units_.engine_of(command.unit), command);
  queues_[command.queue].pop_front();
  const Ended ended = command.shared_from_this();
  done_by_worker_.at(command.worker) = ended;
  done_by_queue_[command.queue] = ended;
  const auto later = [](const Command& one, const Command& other) {
    return one.ran.end > other.ran.end || (one.ran.end == other.ran.end && one.id < other.id);
  };
  if (last_ == nullptr || later(command, *last_)) last_ = ended;
}

template <class Wanted>
Command* RuntimeState::first_to_start(const Wanted& wanted) {
  const auto may_start = [](const Command& command) { return std::ranges::all_of(command.after, &Command::complete); };
  Command* first = nullptr;
  for (const auto& [id, queue] : queues_) {
    if (queue.empty() || queue.front()->dispatched || !wanted(*queue.front()) || !may_start(*queue.front())) continue;
    if (first == nullptr || queue.front()->order < first->order) first = queue.front();
  }
  return first;
}

std::optional<CommandToken> RuntimeState::dispatch_transfer(std::size_t thread, Time now) {
  std::vector<std::size_t> free;
  for (std::size_t link = 0; link < workers_.links(); ++link)
    if (!busy_.at(workers_.of_transfers(thread, link))) free.push_back(link);
  if (free.empty()) return std::nullopt;
  Command* first = first_to_start(
      [thread](const Command& command) { return command.work != DeviceWork::kernel && command.id.thread == thread; });
  if (first == nullptr) return std::nullopt;
  Command& transfer = *first;
  const std::size_t link = links_.best(free, transfer);
  links_.begin(link, transfer);
  transfer.unit =
      transfer.work == DeviceWork::to_device ? fabric::Units::to_device(link) : fabric::Units::to_host(link);
  return start(*first, workers_.of_transfers(thread, link), now);
}

std::optional<CommandToken> RuntimeState::dispatch_launch(std::size_t kernel, Time now) {
  const std::size_t worker = workers_.of_launches(kernel);
  if (busy_.at(worker)) return std::nullopt;
  Command* first = first_to_start([unit = units_.kernel(kernel)](const Command& command) {
    return command.work == DeviceWork::kernel && command.unit == unit;
  });
  if (first == nullptr) return std::nullopt;
  return start(*first, worker, now);
}

CommandToken RuntimeState::start(Command& command, std::size_t worker, Time now) {
  busy_.at(worker) = true;
  command.worker = worker;
  command.dispatched = true;
  command.ran.start = base_ + now;
  command.path = path_to(command);
  command.after.clear();
  command.known.reset();
  return {&command};
}

/// The path of what let this command start: of all that it had to wait for, the one that ended last.
CommandPath RuntimeState::path_to(const Command& command) const {
  const Command* last = command.known.get();
  const auto consider = [&last](const Ended& other) {
    if (other != nullptr && other->complete && (last == nullptr || other->ran.end > last->ran.end)) last = other.get();
  };
  std::ranges::for_each(command.after, consider);
  consider(done_by_worker_.at(command.worker));
  if (const auto done = done_by_queue_.find(command.queue); done != done_by_queue_.end()) consider(done->second);
  CommandPath path = last != nullptr ? last->path : CommandPath{};
  path.host[HostCost::host_thread] += command.ran.start - (last != nullptr ? last->ran.end : base_);
  return path;
}

std::optional<RuntimeState::Answer> RuntimeState::answer() {
  for (auto waiter = waiters_.begin(); waiter != waiters_.end(); ++waiter) {
    Ended taken;
    if (!granted(*waiter, taken)) {
      waiter->slept = true;
      continue;
    }
    learn(*waiter, taken);
    const Answer answer{.thread = waiter->thread, .reply = {.command = taken.get(), .slept = waiter->slept}};
    if (taken != nullptr) taken_.at(waiter->thread) = std::move(taken);
    waiters_.erase(waiter);
    return answer;
  }
  return std::nullopt;
}

bool RuntimeState::granted(const Waiter& waiter, Ended& taken) {
  const HostCall& call = waiter.call;
  switch (call.kind) {
    case HostCall::Kind::wait:
      return call.command->complete;
    case HostCall::Kind::finish:
      return queues_[call.object].empty();
    case HostCall::Kind::put: {
      auto& box = boxes_[call.object];
      if (box.size() >= static_cast<std::size_t>(call.depth)) return false;
      box.push_back(call.command->shared_from_this());
      return true;
    }
    case HostCall::Kind::take: {
      auto& box = boxes_[call.object];
      if (box.empty()) return false;
      taken = std::move(box.front());
      box.pop_front();
      return true;
    }
    case HostCall::Kind::enqueue:
      return true;
  }
  return true;
}

void RuntimeState::learn(const Waiter& waiter, const Ended& taken) {
  Ended seen = taken;
  if (waiter.call.kind == HostCall::Kind::wait) seen = waiter.call.command->shared_from_this();
  if (waiter.call.kind == HostCall::Kind::finish) seen = done_by_queue_[waiter.call.object];
  Ended& known = known_.at(waiter.thread);
  if (seen != nullptr && seen->complete && (known == nullptr || seen->ran.end > known->ran.end))
    known = std::move(seen);
}

bool RuntimeState::idle() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.second.empty(); });
}

RuntimeState::Done RuntimeState::done(fabric::Unit unit) const {
  const auto done = done_.find(unit);
  return done != done_.end() ? done->second : Done{};
}

Runtime::Runtime(const Workers& who, LinkLoads links, const fabric::Units& units, Time base)
    : calls(who.threads()),
      replies(who.threads()),
      workers(who.count()),
      completions(who.count()),
      who_(who),
      state_(who, std::move(links), units, base) {}

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
    state_.completed(token, timer_.now());
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
  for (std::size_t thread = 0; thread < who_.threads(); ++thread)
    while (handed_out(state_.dispatch_transfer(thread, timer_.now())))
      ;
  for (std::size_t kernel = 0; kernel < who_.kernels(); ++kernel)
    handed_out(state_.dispatch_launch(kernel, timer_.now()));
}

bool Runtime::handed_out(const std::optional<CommandToken>& token) {
  if (!token) return false;
  timer_.works_on(token->command->message);
  workers[token->command->worker].push(*token);
  return true;
}

}  // namespace isthmus::offload::model
