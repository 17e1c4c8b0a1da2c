#include "offload/model/host_thread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus::offload::model {
namespace {

const ModelBuffer& memory_of(const Buffer& buffer) {
  return dynamic_cast<const ModelBuffer&>(buffer.object());
}

fabric::DeviceAddress place(const BufferPart& part, std::size_t bytes) {
  const std::size_t size = part.buffer.size();
  if (part.offset > size || bytes > size - part.offset)
    throw Error(fmt::format("a copy of {} bytes at {} does not fit a buffer of {}", bytes, part.offset, size));
  fabric::DeviceAddress at = memory_of(part.buffer).at();
  at.byte += part.offset;
  return at;
}

/// Adds the commands of this run: commands of an earlier run have ended.
void add_commands(std::vector<std::shared_ptr<const Command>>& commands, const Events& events, const RunIdentity& run) {
  for (const Event& event : events) {
    if (const auto* joined = dynamic_cast<const JoinedEvents*>(&event.state())) {
      add_commands(commands, joined->events(), run);
      continue;
    }
    const auto& one = dynamic_cast<const ModelEvent&>(event.state());
    if (!one.is_past(run)) commands.push_back(one.command());
  }
}

HostCall call_of(HostCall::Kind kind, int object) {
  return {.kind = kind, .object = object, .depth = 0, .enqueue = {}, .command = nullptr};
}

}  // namespace

HostThreadActor& AtWork::thread() const {
  if (thread_ == nullptr) throw Error(fmt::format("model of {}: a command outside Device::run", board_));
  return *thread_;
}

Error AtWork::refused(const std::string& what) const {
  return Error(fmt::format("model of {}: {}, which it has no part for", board_, what));
}

Time Command::on_device() const {
  Time left = ran.length();
  for (const Time time : spent.times) left = left - time;
  return left;
}

bool ModelEvent::is_past(const RunIdentity& now) const {
  if (run_.get() == &now) return false;
  if (!run_->over)
    throw Error("an event of a device's run that is not over: expected one of this run or of one before");
  return true;
}

void ModelEvent::wait() const {
  if (run_->over) return;
  at_work_.thread().wait(*this);
  known_ = true;
}

Span JoinedEvents::span() const {
  throw Error("the times of a moment between commands: expected those of a command");
}

const Command& ModelEvent::ended() const {
  const bool finished = progress_ != nullptr && number_ <= progress_->finished;
  if (!(known_ || finished || run_->over) || !command_->complete)
    throw Error("the times of a command that is not complete");
  return *command_;
}

Event HostThreadActor::write(const QueueId& queue, const BufferPart& to, std::span<const std::byte> from,
                             const Events& after) {
  auto command = make(DeviceWork::to_device, after);
  command->from = from;
  pass(*command, to, from);
  return enqueue(queue, command);
}

Event HostThreadActor::read(const QueueId& queue, const BufferPart& from, std::span<std::byte> to,
                            const Events& after) {
  auto command = make(DeviceWork::to_host, after);
  command->to = to;
  pass(*command, from, to);
  return enqueue(queue, command);
}

Event HostThreadActor::launch(const QueueId& queue, std::size_t kernel, fabric::KernelCall call, const Events& after) {
  auto command = make(DeviceWork::kernel, after);
  command->unit = context_.units.kernel(kernel);
  command->call = std::move(call);
  return enqueue(queue, command);
}

void HostThreadActor::wait(const ModelEvent& event) {
  HostCall call = call_of(HostCall::Kind::wait, 0);
  call.command = event.command().get();
  ask(call);
}

void HostThreadActor::finish(const QueueId& queue) {
  ask(call_of(HostCall::Kind::finish, queue.id));
  queue.progress->finished = queue.progress->enqueued;
}

void HostThreadActor::put(const MailboxId& mailbox, const Event& event) {
  const auto& put = dynamic_cast<const ModelEvent&>(event.state());
  if (put.is_past(*context_.run)) throw Error("an event of an earlier run in a mailbox: expected one of this run");
  HostCall call = call_of(HostCall::Kind::put, mailbox.id);
  call.depth = mailbox.depth;
  call.command = put.command().get();
  ask(call);
}

Event HostThreadActor::take(const MailboxId& mailbox) {
  const HostReply reply = ask(call_of(HostCall::Kind::take, mailbox.id));
  return Event(std::make_shared<ModelEvent>(context_, reply.command->shared_from_this(), nullptr));
}

void HostThreadActor::work(Time time) {
  const Shift away(context_.at_work, nullptr);
  if (time > Time()) timer_.wait(time);
}

std::int64_t HostThreadActor::hear() {
  const Shift away(context_.at_work, nullptr);
  return told[0].read();
}

void HostThreadActor::tell(std::int64_t number) {
  const Shift away(context_.at_work, nullptr);
  tells[0].push(number);
}

/// What a transfer of `memory` moves, and what the host does for it.
void HostThreadActor::pass(Command& command, const BufferPart& at, std::span<const std::byte> memory) const {
  platform::require(context_.board, "a copy", needs::kCopies);
  if (memory.empty()) throw Error("a copy of 0 bytes: expected 1 or more");
  command.device = place(at, memory.size());
  command.bytes = memory.size();
  command.copied = !context_.pinned.holds(memory);
  command.allocates = command.copied && !memory_of(at.buffer).keeps_staging;
}

std::shared_ptr<Command> HostThreadActor::make(DeviceWork work, const Events& after) {
  auto command = std::make_shared<Command>();
  command->id = {.thread = index_, .number = made_++};
  command->work = work;
  command->message = timer_.message();
  add_commands(command->after, after, *context_.run);
  return command;
}

Event HostThreadActor::enqueue(const QueueId& queue, const std::shared_ptr<Command>& command) {
  const Shift away(context_.at_work, nullptr);
  timer_.wait(context_.costs.enqueue);
  command->queue = queue.id;
  ++queue.progress->enqueued;
  Event event(std::make_shared<const ModelEvent>(context_, command, queue.progress));
  keep(command);
  HostCall call = call_of(HostCall::Kind::enqueue, queue.id);
  call.enqueue = {command.get()};
  calls.push(call);
  return event;
}

/// Until it has ended.
void HostThreadActor::keep(const std::shared_ptr<Command>& command) {
  if (under_way_.size() == room_) {
    std::erase_if(under_way_, [](const auto& one) { return one->complete; });
    room_ = std::max(room_, 2 * under_way_.size());
  }
  under_way_.push_back(command);
}

/// Asks the runtime and sleeps until it answers.
HostReply HostThreadActor::ask(const HostCall& call) {
  const Shift away(context_.at_work, nullptr);
  calls.push(call);
  const HostReply reply = replies.read();
  if (reply.slept) timer_.wait(context_.costs.wake);
  return reply;
}

void HostThreadActor::step() {
  const Shift at_work(context_.at_work, this);
  try {
    thread_.body();
  } catch (const engine::StopStep&) {
    throw;  // the engine ends a body whose run is over
  } catch (const engine::FinishStep&) {
    throw;
  } catch (...) {
    failure_ = std::current_exception();
    failed_at_ = timer_.now();
    throw;
  }
  finished_ = true;
}

}  // namespace isthmus::offload::model
