#include "offload/model/host_thread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isthmus/base/error.hpp"
#include "isthmus/offload/kernel_model.hpp"
#include "isthmus/offload/model.hpp"
#include "isthmus/offload/needs.hpp"
#include "isthmus/platform/needs.hpp"

namespace isthmus::offload::model {
namespace {

const ModelEvent& model_event(const Event& event) {
  return dynamic_cast<const ModelEvent&>(*event);
}

/// The commands of this run among the events: commands of an earlier run have ended.
std::vector<std::shared_ptr<const Command>> commands_of(const std::vector<Event>& events, const RunIdentity& run) {
  std::vector<std::shared_ptr<const Command>> commands;
  commands.reserve(events.size());
  for (const Event& event : events)
    if (!model_event(event).is_past(run)) commands.push_back(model_event(event).command());
  return commands;
}

const ModelBuffer& memory_of(const Buffer& buffer) {
  return dynamic_cast<const ModelBuffer&>(buffer.object());
}

fabric::DeviceAddress place(const Buffer& buffer, std::size_t offset, std::size_t bytes) {
  const std::size_t size = buffer.size();
  if (offset > size || bytes > size - offset)
    throw Error(fmt::format("a copy of {} bytes at {} does not fit a buffer of {}", bytes, offset, size));
  fabric::DeviceAddress at = memory_of(buffer).at();
  at.byte += offset;
  return at;
}

struct InRegister {
  const Kernel& kernel;

  std::uint64_t operator()(const Buffer* buffer) const {
    return buffer != nullptr ? kernel_argument(memory_of(*buffer).at()) : 0;
  }
  std::uint64_t operator()(LocalMemory) const {
    throw Error(fmt::format("kernel '{}': a model has no local memory: expected buffers and numbers", kernel.name()));
  }
  template <class Number>
  std::uint64_t operator()(Number value) const {
    return kernel_argument(value);
  }
};

fabric::KernelCall kernel_call(const Launch& launch) {
  if (launch.arguments.size() > fabric::kMostArguments)
    throw Error(fmt::format("a launch with {} arguments: a kernel's registers hold {}", launch.arguments.size(),
                            fabric::kMostArguments));
  fabric::KernelCall call{.arguments = {},
                          .columns = static_cast<std::uint32_t>(launch.columns),
                          .rows = static_cast<std::uint32_t>(launch.rows)};
  for (const Argument& argument : launch.arguments)
    call.arguments.push_back(std::visit(InRegister{launch.kernel}, argument));
  return call;
}

}  // namespace

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

const Command& ModelEvent::ended() const {
  const bool finished = progress_ != nullptr && number_ <= progress_->finished;
  if (!(known_ || finished || run_->over) || !command_->complete)
    throw Error("the times of a command that is not complete");
  return *command_;
}

/// One host thread's calls: a cost for the thread, then a word with the runtime.
class ModelHost final : public SurroundedHost {
 public:
  explicit ModelHost(HostThreadActor& actor) : actor_(actor), context_(actor.context_) {}

  Event write(Queue& queue, const BufferPart& to, std::span<const std::byte> from, Call call,
              std::vector<Event> after) override {
    auto command = make(DeviceWork::to_device, after);
    command->from = from;
    pass(*command, to, from);
    return enqueue(queue, command, call);
  }
  Event read(Queue& queue, const BufferPart& from, std::span<std::byte> to, Call call,
             std::vector<Event> after) override {
    auto command = make(DeviceWork::to_host, after);
    command->to = to;
    pass(*command, from, to);
    return enqueue(queue, command, call);
  }
  Event launch(Queue& queue, const Launch& launch, std::vector<Event> after) override {
    auto command = make(DeviceWork::kernel, after);
    command->unit = context_.units.kernel(dynamic_cast<const ModelKernel&>(launch.kernel.object()).index());
    command->call = kernel_call(launch);
    return enqueue(queue, command, Call::nonblocking);
  }

  void wait(const Event& event) override {
    if (model_event(event).is_past(*context_.run)) return;
    ask({.kind = HostCall::Kind::wait,
         .object = 0,
         .depth = 0,
         .enqueue = {},
         .command = model_event(event).command().get()});
    model_event(event).tell();
  }
  void finish(Queue& queue) override {
    auto& of = dynamic_cast<ModelQueue&>(queue);
    ask(call_of(HostCall::Kind::finish, of.id()));
    of.progress()->finished = of.progress()->enqueued;
  }

  void put(Mailbox& mailbox, Event event) override {
    const auto& box = dynamic_cast<ModelMailbox&>(mailbox);
    if (model_event(event).is_past(*context_.run))
      throw Error("an event of an earlier run in a mailbox: expected one of this run");
    ask({.kind = HostCall::Kind::put,
         .object = box.id(),
         .depth = box.depth(),
         .enqueue = {},
         .command = model_event(event).command().get()});
  }
  Event take(Mailbox& mailbox) override {
    const int id = dynamic_cast<ModelMailbox&>(mailbox).id();
    const HostReply reply = ask(call_of(HostCall::Kind::take, id));
    return std::make_shared<ModelEvent>(context_.run, reply.command->shared_from_this(), nullptr);
  }

  void work(Time time) override {
    if (time > Time()) actor_.timer_.wait(time);
  }

  std::int64_t hear() override { return actor_.told[0].read(); }
  void tell(std::int64_t number) override { actor_.tells[0].push(number); }

  void works_on(int message) override { actor_.timer_.works_on(message); }
  Time now() const override { return context_.start + actor_.timer_.now(); }

 private:
  static HostCall call_of(HostCall::Kind kind, int object) {
    return {.kind = kind, .object = object, .depth = 0, .enqueue = {}, .command = nullptr};
  }

  /// What a transfer of `memory` moves, and what the host does for it.
  void pass(Command& command, const BufferPart& at, std::span<const std::byte> memory) const {
    platform::require(context_.board, "a copy", needs::kCopies);
    if (memory.empty()) throw Error("a copy of 0 bytes: expected 1 or more");
    command.device = place(at.buffer, at.offset, memory.size());
    command.bytes = memory.size();
    command.copied = !context_.pinned.holds(memory);
    command.allocates = command.copied && !memory_of(at.buffer).keeps_staging;
  }

  std::shared_ptr<Command> make(DeviceWork work, const std::vector<Event>& after) {
    auto command = std::make_shared<Command>();
    command->id = {.thread = actor_.index_, .number = actor_.made_++};
    command->work = work;
    command->message = actor_.timer_.message();
    command->after = commands_of(after, *context_.run);
    return command;
  }

  Event enqueue(Queue& queue, const std::shared_ptr<Command>& command, Call call) {
    actor_.timer_.wait(context_.costs.enqueue);
    const auto& of = dynamic_cast<const ModelQueue&>(queue);
    command->queue = of.id();
    ++of.progress()->enqueued;
    auto event = std::make_shared<const ModelEvent>(context_.run, command, of.progress());
    keep(command);
    actor_.calls.push({.kind = HostCall::Kind::enqueue,
                       .object = command->queue,
                       .depth = 0,
                       .enqueue = {command.get()},
                       .command = nullptr});
    if (call == Call::blocking) wait(event);
    return event;
  }

  /// Until it has ended.
  void keep(const std::shared_ptr<Command>& command) {
    auto& under_way = actor_.under_way_;
    if (under_way.size() == actor_.room_) {
      std::erase_if(under_way, [](const auto& one) { return one->complete; });
      actor_.room_ = std::max(actor_.room_, 2 * under_way.size());
    }
    under_way.push_back(command);
  }

  /// Asks the runtime and sleeps until it answers.
  HostReply ask(const HostCall& call) {
    actor_.calls.push(call);
    const HostReply reply = actor_.replies.read();
    if (reply.slept) actor_.timer_.wait(context_.costs.wake);
    return reply;
  }

  HostThreadActor& actor_;
  const RunContext& context_;
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
    failure_ = std::current_exception();
    failed_at_ = timer_.now();
    throw;
  }
  finished_ = true;
}

}  // namespace isthmus::offload::model
