#include "engine/program.hpp"

namespace isthmus::reference {
namespace {

void append(const Program& program, std::vector<Code>& code) {
  for (const auto& instruction : program) {
    const auto start = code.size();
    code.push_back({instruction, 0, false});
    code[start].what.body.clear();
    if (instruction.body.empty()) continue;
    append(instruction.body, code);
    if (instruction.op == Op::repeat) code.push_back({{Op::repeat}, static_cast<int>(start) + 1, true});
    code[start].target = static_cast<int>(code.size());
  }
}

bool enters(const Instruction& branch, const Frame& frame, const State& state) {
  const auto below = [&](Value x) { return hash(x) % static_cast<Value>(branch.a) < static_cast<Value>(branch.b); };
  const Value reg = state.regs[static_cast<std::size_t>(branch.reg)];
  switch (branch.op) {
    case Op::if_last:
      return frame.last;
    case Op::if_not:
      return !frame.last;
    case Op::if_register:
      return below(reg);
    case Op::if_below:
      return reg < static_cast<Value>(branch.a);
    case Op::if_value:
      return below(frame.value);
    default:
      return branch.a > 0;
  }
}

void branch(const Code& code, Frame& frame, const State& state) {
  if (code.target == 0) return;  // an empty body
  if (!code.loop_end) {
    if (!enters(code.what, frame, state)) {
      frame.at = code.target;
    } else if (code.what.op == Op::repeat) {
      frame.loops.push_back(code.what.a);
    }
  } else if (--frame.loops.back() > 0) {
    frame.at = code.target;
  } else {
    frame.loops.pop_back();
  }
}

}  // namespace

bool Done::operator()(const State& state) const {
  switch (when) {
    case When::never:
      return false;
    case When::pushed:
      return state.pushed >= at_least;
    case When::pulled:
      return state.pulled >= at_least;
    case When::moved:
      return state.pushed + state.pulled >= at_least;
    case When::counted:
      return state.regs[0] >= static_cast<Value>(at_least);
  }
  return false;
}

Program spelled_out(const Program& program, std::size_t inputs) {
  Program spelled;
  for (Instruction instruction : program) {
    instruction.body = spelled_out(instruction.body, inputs);
    if (instruction.op != Op::scan)
      spelled.push_back(std::move(instruction));
    else
      for (std::size_t port = 0; port < inputs; ++port)
        spelled.push_back({.op = Op::peek, .port = static_cast<int>(port)});
  }
  return spelled;
}

std::vector<Code> flatten(const Program& program) {
  std::vector<Code> code;
  append(program, code);
  return code;
}

Value hash(Value x, Value y, Value z) {
  // The finaliser of splitmix64 over a sum of odd multiples.
  Value h = x * 0x9E3779B97F4A7C15u + y * 0xC2B2AE3D27D4EB4Fu + z * 0x165667B19E3779F9u + 0x27D4EB2F165667C5u;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
  return h ^ (h >> 31);
}

Value operand(const Instruction& push, const Frame& frame, const State& state) {
  const Value reg = state.regs[static_cast<std::size_t>(push.reg)];
  switch (push.operand) {
    case Operand::value:
      return frame.value;
    case Operand::reg:
      return reg;
    case Operand::hash:
      return hash(frame.value, reg, static_cast<Value>(push.a));
  }
  return 0;
}

std::int64_t span(const Instruction& instruction, const State& state) {
  const Value reg = state.regs[static_cast<std::size_t>(instruction.reg)];
  return instruction.a + instruction.b * static_cast<std::int64_t>(reg % static_cast<Value>(instruction.c));
}

bool control(const std::vector<Code>& code, Frame& frame, State& state) {
  const Code& at = code[static_cast<std::size_t>(frame.at)];
  Value& reg = state.regs[static_cast<std::size_t>(at.what.reg)];
  switch (at.what.op) {
    case Op::mix:
      reg = hash(reg, frame.value);
      break;
    case Op::count:
      ++reg;
      break;
    case Op::store:
      reg = frame.value;
      break;
    case Op::constant:
      frame.value = static_cast<Value>(at.what.a);
      break;
    case Op::leave:
      frame.at = static_cast<int>(code.size());
      return true;
    case Op::if_last:
    case Op::if_not:
    case Op::if_register:
    case Op::if_below:
    case Op::if_value:
    case Op::repeat:
      ++frame.at;
      branch(at, frame, state);
      return true;
    default:
      return false;
  }
  if (at.what.op != Op::constant) frame.eventful = true;
  ++frame.at;
  return true;
}

}  // namespace isthmus::reference
