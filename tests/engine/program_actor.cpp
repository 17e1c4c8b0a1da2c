#include "engine/program_actor.hpp"

namespace isthmus::reference {
namespace {

/// One step of a program.
class Step {
 public:
  explicit Step(const Reach& reach) : reach_(reach) {}

  void run() {
    const auto& code = reach_.plan.code;
    while (frame_.at < static_cast<int>(code.size()))
      if (!control(code, frame_, reach_.state)) perform(code[static_cast<std::size_t>(frame_.at++)].what);
  }

 private:
  void perform(const Instruction& instruction) {
    if (instruction.op == Op::scan) return scan();
    const auto port = static_cast<std::size_t>(instruction.port);
    if (port < reach_.in.size() && perform_input(instruction, reach_.in[port])) return;
    if (port < reach_.out.size() && perform_output(instruction, reach_.out[port])) return;
    keep_time(instruction);
  }

  bool perform_input(const Instruction& instruction, In<Value>& input) {
    switch (instruction.op) {
      case Op::pull:
        frame_.last = input.pull(frame_.value);
        break;
      case Op::drop:
        frame_.last = input.pull();
        break;
      case Op::read:
        frame_.value = input.read();
        break;
      case Op::peek:
        frame_.last = input.peek(frame_.value);
        break;
      case Op::front:
        look(input);
        break;
      case Op::closed:
        frame_.last = input.closed();
        break;
      case Op::front_time:
        frame_.value = static_cast<Value>(input.front_time().femtoseconds());
        return true;
      default:
        return false;
    }
    const bool question = instruction.op == Op::peek || instruction.op == Op::front || instruction.op == Op::closed;
    if (instruction.op != Op::read && !frame_.last) frame_.refused = true;
    if (question || (instruction.op != Op::read && !frame_.last)) return true;
    frame_.eventful = true;
    ++reach_.state.pulled;
    auto& log = reach_.plan.pulled[static_cast<std::size_t>(instruction.port)];
    log.push_back(instruction.op == Op::drop ? std::nullopt : std::optional(frame_.value));
    return true;
  }

  void scan() {
    const std::size_t inputs = reach_.in.size();
    if (inputs == 0) return;
    const auto left = reach_.poll_heads(reach_.ports);
    frame_.refused = frame_.refused || left.size() < inputs;
    frame_.last = false;
    for (const std::size_t place : left) {
      const bool there = reach_.in[place].peek(frame_.value);
      frame_.refused = frame_.refused || !there;
      frame_.last = there && place == inputs - 1;
    }
  }

  void look(In<Value>& input) {
    const Value* head = input.front();
    frame_.last = head != nullptr;
    if (frame_.last) frame_.value = *head;
  }

  bool perform_output(const Instruction& instruction, Out<Value>& output) {
    if (instruction.op == Op::room) {
      frame_.last = output.room();
      if (!frame_.last) frame_.refused = true;
      return true;
    }
    if (instruction.op != Op::push && instruction.op != Op::slot) return false;
    const Value value = operand(instruction, frame_, reach_.state);
    if (instruction.op == Op::push) {
      output.push(value);
    } else {
      output.slot() = value;
    }
    frame_.eventful = true;
    ++reach_.state.pushed;
    reach_.plan.pushed[static_cast<std::size_t>(instruction.port)].push_back(value);
    return true;
  }

  void keep_time(const Instruction& instruction) {
    if (instruction.op == Op::sleep) return promise();
    frame_.eventful = true;
    const auto femtoseconds = Time::fs(span(instruction, reach_.state));
    switch (instruction.op) {
      case Op::wait_until:
        reach_.timer.wait_until(femtoseconds);
        break;
      case Op::wait_on:
        reach_.timer.wait_until(reach_.timer.now() + femtoseconds);
        break;
      case Op::wait:
        reach_.timer.wait(femtoseconds);
        break;
      case Op::draw:
        frame_.value = reach_.random.next() % static_cast<Value>(instruction.a);
        break;
      case Op::now:
        frame_.value = static_cast<Value>(reach_.timer.now().femtoseconds());
        break;
      default:
        break;
    }
  }

  void promise() {
    if (!frame_.eventful && frame_.refused) reach_.promise(reach_.timer, reach_.ports);
  }

  const Reach& reach_;
  Frame frame_;
};

}  // namespace

void run_step(const Reach& reach) {
  Step(reach).run();
}

}  // namespace isthmus::reference
