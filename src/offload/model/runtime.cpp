#include "offload/model/runtime.hpp"

#include <algorithm>

namespace isthmus::offload::model {

void RuntimeState::call(std::size_t thread, const HostCall& call) {
  if (call.kind != HostCall::Kind::enqueue) {
    waiters_.push_back({.thread = thread, .call = call, .slept = false});
    return;
  }
  Command* command = call.enqueue.command;
  Record& record = records_[command->id];
  record.command = command;
  record.order = enqueued_++;
  record.known = known_.at(thread);
  queues_[command->queue].push_back(&record);
}

void RuntimeState::completed(CommandToken token, Time now) {
  Command& command = *token.command;
  command.ran.end = base_ + now;
  command.complete = true;
  Record& record = records_.at(command.id);
  record.ran.end = command.ran.end;
  record.complete = true;
  record.path.host += command.spent;
  record.path.units[command.unit] += command.on_device();
  record.command = &command;
  busy_.at(command.worker) = false;
  if (command.work != DeviceWork::kernel) links_.end(units_.engine_of(command.unit), command);
  done_by_worker_.at(command.worker) = &record;
  done_by_queue_[command.queue] = &record;
  queues_[command.queue].pop_front();
}

template <class Wanted>
RuntimeState::Record* RuntimeState::first_to_start(const Wanted& wanted) {
  Record* first = nullptr;
  for (const auto& [id, queue] : queues_) {
    if (queue.empty() || queue.front()->dispatched || !wanted(*queue.front()->command) || !may_start(*queue.front()))
      continue;
    if (first == nullptr || queue.front()->order < first->order) first = queue.front();
  }
  return first;
}

std::optional<CommandToken> RuntimeState::dispatch_transfer(std::size_t thread, Time now) {
  std::vector<std::size_t> free;
  for (std::size_t link = 0; link < workers_.links(); ++link)
    if (!busy_.at(workers_.of_transfers(thread, link))) free.push_back(link);
  if (free.empty()) return std::nullopt;
  Record* first = first_to_start(
      [thread](const Command& command) { return command.work != DeviceWork::kernel && command.id.thread == thread; });
  if (first == nullptr) return std::nullopt;
  Command& transfer = *first->command;
  const std::size_t link = links_.best(free, transfer);
  links_.begin(link, transfer);
  transfer.unit =
      transfer.work == DeviceWork::to_device ? fabric::Units::to_device(link) : fabric::Units::to_host(link);
  return start(*first, workers_.of_transfers(thread, link), now);
}

std::optional<CommandToken> RuntimeState::dispatch_launch(std::size_t kernel, Time now) {
  const std::size_t worker = workers_.of_launches(kernel);
  if (busy_.at(worker)) return std::nullopt;
  Record* first = first_to_start([unit = units_.kernel(kernel)](const Command& command) {
    return command.work == DeviceWork::kernel && command.unit == unit;
  });
  if (first == nullptr) return std::nullopt;
  return start(*first, worker, now);
}

CommandToken RuntimeState::start(Record& record, std::size_t worker, Time now) {
  busy_.at(worker) = true;
  Command* command = std::exchange(record.command, nullptr);
  command->worker = worker;
  record.dispatched = true;
  record.ran.start = command->ran.start = base_ + now;
  record.path = path_to(record, *command);
  return {command};
}

/// The path of what let this command start: of all that it had to wait for, the one that ended last.
CommandPath RuntimeState::path_to(const Record& record, const Command& command) const {
  const Record* last = record.known;
  const auto consider = [&last](const Record* other) {
    if (other != nullptr && other->complete && (last == nullptr || other->ran.end > last->ran.end)) last = other;
  };
  for (const CommandId before : command.after) consider(&records_.at(before));
  consider(done_by_worker_.at(command.worker));
  if (const auto done = done_by_queue_.find(command.queue); done != done_by_queue_.end()) consider(done->second);
  CommandPath path = last != nullptr ? last->path : CommandPath{};
  path.host[HostCost::host_thread] += record.ran.start - (last != nullptr ? last->ran.end : base_);
  return path;
}

bool RuntimeState::complete(CommandId command) const {
  const auto record = records_.find(command);
  return record != records_.end() && record->second.complete;
}

bool RuntimeState::may_start(const Record& record) const {
  return std::ranges::all_of(record.command->after, [this](CommandId before) { return complete(before); });
}

std::optional<RuntimeState::Answer> RuntimeState::answer() {
  for (auto waiter = waiters_.begin(); waiter != waiters_.end(); ++waiter) {
    std::optional<CommandId> told;
    if (!granted(*waiter, told)) {
      waiter->slept = true;
      continue;
    }
    learn(*waiter, told);
    const Answer answer{.thread = waiter->thread,
                        .reply = {.command = told.value_or(CommandId{}), .slept = waiter->slept}};
    waiters_.erase(waiter);
    return answer;
  }
  return std::nullopt;
}

bool RuntimeState::granted(const Waiter& waiter, std::optional<CommandId>& told) {
  const HostCall& call = waiter.call;
  switch (call.kind) {
    case HostCall::Kind::wait:
      return complete(call.command);
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

void RuntimeState::learn(const Waiter& waiter, const std::optional<CommandId>& told) {
  const Record* seen = nullptr;
  if (waiter.call.kind == HostCall::Kind::wait) seen = &records_.at(waiter.call.command);
  if (waiter.call.kind == HostCall::Kind::finish) seen = done_by_queue_[waiter.call.object];
  if (told)
    if (const auto record = records_.find(*told); record != records_.end()) seen = &record->second;
  const Record*& known = known_.at(waiter.thread);
  if (seen != nullptr && seen->complete && (known == nullptr || seen->ran.end > known->ran.end)) known = seen;
}

bool RuntimeState::idle() const {
  return std::ranges::all_of(queues_, [](const auto& queue) { return queue.second.empty(); });
}

RuntimeState::Done RuntimeState::done(fabric::Unit unit) const {
  Done done;
  for (const auto& [id, record] : records_)
    if (record.complete && record.command->unit == unit) {
      done.time += record.command->on_device();
      done.bytes += static_cast<double>(record.command->bytes);
    }
  return done;
}

std::optional<RuntimeState::Ended> RuntimeState::last() const {
  const Record* last = nullptr;
  for (const auto& [id, record] : records_)
    if (record.complete && (last == nullptr || record.ran.end > last->ran.end)) last = &record;
  if (last == nullptr) return std::nullopt;
  return Ended{.path = last->path, .end = last->ran.end};
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
