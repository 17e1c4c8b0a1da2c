#include "offload/model/host_thread.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"
#include "isthmus/engine/actor.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/needs.hpp"
#include "offload/model/objects.hpp"

namespace isthmus::offload::model {
namespace {

std::vector<std::shared_ptr<const Command>> commands(std::vector<Event> events) {
  std::vector<std::shared_ptr<const Command>> list;
  list.reserve(events.size());
  for (Event& event : events) list.push_back(std::dynamic_pointer_cast<const Command>(std::move(event)));
  return list;
}

fabric::DeviceAddress place(const ModelBuffer& buffer, std::size_t bytes) {
  if (static_cast<std::size_t>(buffer.size().count) < bytes)
    throw Error(fmt::format("a copy of {} bytes does not fit a buffer of {}", bytes, buffer.size().count));
  return buffer.at();
}

std::uint64_t address_of(const Buffer* buffer) {
  return buffer != nullptr ? kernel_argument(dynamic_cast<const ModelBuffer&>(*buffer).at()) : 0;
}

fabric::KernelStart start_of(const Launch& launch) {
  fabric::KernelStart start{.arguments = {},
                            .columns = static_cast<std::uint32_t>(launch.columns),
                            .rows = static_cast<std::uint32_t>(launch.rows)};
  if (launch.arguments.size() > start.arguments.size())
    throw Error(fmt::format("a launch with {} arguments: a model takes up to {}", launch.arguments.size(),
                            start.arguments.size()));
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const auto* buffer = std::get_if<const Buffer*>(&argument);
    start.arguments.at(i) = buffer != nullptr ? address_of(*buffer) : kernel_argument(std::get<std::int32_t>(argument));
  }
  return start;
}

}  // namespace

Piece piece_of(Unit unit) {
  switch (unit) {
    case Unit::to_device:
      return Piece::to_device;
    case Unit::to_host:
      return Piece::to_host;
    case Unit::kernel:
      return Piece::kernel;
  }
  return Piece::kernel;
}

Time Command::on_device() const {
  Time left = ran.length();
  for (const Time time : spent.times) left = left - time;
  return left;
}

Span Command::span() const {
  if (!complete) throw Error("the times of a command that is not complete");
  return ran;
}

/// One host thread's calls: a cost for the thread, then a word with the runtime.
class ModelHost final : public Host {
 public:
  explicit ModelHost(HostThreadActor& actor) : actor_(actor), context_(actor.context_) {}

  Event write(Queue& queue, Buffer& to, std::span<const std::byte> from, Call call, std::vector<Event> after) override {
    auto command = make(Unit::to_device, queue, std::move(after));
    command->from = from;
    pass(*command, dynamic_cast<const ModelBuffer&>(to), from);
    return enqueue(std::move(command), call);
  }
  Event read(Queue& queue, const Buffer& from, std::span<std::byte> to, Call call, std::vector<Event> after) override {
    auto command = make(Unit::to_host, queue, std::move(after));
    command->to = to;
    pass(*command, dynamic_cast<const ModelBuffer&>(from), to);
    return enqueue(std::move(command), call);
  }
  Event launch(Queue& queue, const Launch& launch, std::vector<Event> after) override {
    auto command = make(Unit::kernel, queue, std::move(after));
    command->start = start_of(launch);
    return enqueue(std::move(command), Call::nonblocking);
  }

  void wait(const Event& event) override {
    const auto command = std::dynamic_pointer_cast<const Command>(event);
    // The runtime alone reads and writes through it.
    ask({.kind = HostCall::Kind::wait, .object = 0, .depth = 0, .command = const_cast<Command*>(command.get())});
  }
  void finish(Queue& queue) override { ask(call_of(HostCall::Kind::finish, dynamic_cast<ModelQueue&>(queue).id())); }

  void put(Mailbox& mailbox, Event event) override {
    const auto& box = dynamic_cast<ModelMailbox&>(mailbox);
    const auto command = std::dynamic_pointer_cast<const Command>(event);
    ask({.kind = HostCall::Kind::put,
         .object = box.id(),
         .depth = box.depth(),
         .command = const_cast<Command*>(command.get())});
  }
  Event take(Mailbox& mailbox) override {
    return ask(call_of(HostCall::Kind::take, dynamic_cast<ModelMailbox&>(mailbox).id()))->shared_from_this();
  }

  void works_on(int message) override { actor_.timer_.works_on(message); }
  Time now() const override { return context_.start + actor_.timer_.now(); }

 private:
  static HostCall call_of(HostCall::Kind kind, int object) {
    return {.kind = kind, .object = object, .depth = 0, .command = nullptr};
  }

  /// What a transfer of `memory` moves, and what the host does for it.
  void pass(Command& command, const ModelBuffer& buffer, std::span<const std::byte> memory) const {
    platform::require(context_.board, "a copy", needs::kCopies);
    command.device = place(buffer, memory.size());
    command.bytes = memory.size();
    command.copied = !context_.pinned.holds(memory);
    command.allocates = command.copied && !buffer.keeps_staging();
  }

  std::shared_ptr<Command> make(Unit unit, Queue& queue, std::vector<Event> after) {
    auto command = std::make_shared<Command>();
    command->queue = dynamic_cast<ModelQueue&>(queue).id();
    command->unit = unit;
    command->message = actor_.timer_.message();
    command->after = commands(std::move(after));
    return command;
  }

  Event enqueue(std::shared_ptr<Command> command, Call call) {
    actor_.timer_.wait(context_.costs.enqueue);
    context_.commands.push_back(command);
    actor_.calls.push(
        {.kind = HostCall::Kind::enqueue, .object = command->queue, .depth = 0, .command = command.get()});
    if (call == Call::blocking) wait(command);
    return command;
  }

  /// Asks the runtime and sleeps until it answers.
  Command* ask(const HostCall& call) {
    actor_.calls.push(call);
    const HostReply reply = actor_.replies.read();
    if (reply.slept) actor_.timer_.wait(context_.costs.wake);
    return reply.command;
  }

  HostThreadActor& actor_;
  RunContext& context_;
};

void HostThreadActor::step() {
  ModelHost host(*this);
  try {
    thread_.body(host);
  } catch (const engine::StopStep&) {
    throw;  // the engine ends a body whose run is over
  } catch (const engine::FinishStep&) {
    throw;
  } catch (...) {
    if (!context_.failure) context_.failure = std::current_exception();
    throw;
  }
  finished_ = true;
}

}  // namespace isthmus::offload::model
