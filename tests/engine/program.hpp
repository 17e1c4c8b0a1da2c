#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace isthmus::reference {

using Tick = std::int64_t;
using Value = std::uint64_t;

/// What one instruction of an actor's program does. `p` is a port, `r` a register, `a`, `b`, `c` numbers.
enum class Op {
  pull,         ///< value := in[p], last := was there one
  drop,         ///< last := one was dropped from in[p]
  read,         ///< value := in[p], blocking
  peek,         ///< value := head of in[p], last := is there one
  front,        ///< the same through a pointer
  closed,       ///< last := in[p] is closed
  front_time,   ///< value := when the head of in[p] became visible; only after a peek or front that said yes
  push,         ///< out[p] := operand
  slot,         ///< the same, built in place
  room,         ///< last := out[p] has room
  wait_until,   ///< wait until a + b * (r mod c) femtoseconds
  wait_on,      ///< read the time and wait until a + b * (r mod c) femtoseconds later
  wait,         ///< wait for a + b * (r mod c) femtoseconds (no clock)
  sleep,        ///< if the step did nothing so far, promise that nothing happens until a port it asked changes
  mix,          ///< r := hash(r, value)
  count,        ///< r := r + 1
  store,        ///< r := value
  draw,         ///< value := random mod a
  now,          ///< value := the time in femtoseconds
  constant,     ///< value := a
  if_last,      ///< body, if last
  if_not,       ///< body, unless last
  if_register,  ///< body, if hash(r) mod a < b
  if_below,     ///< body, if r < a
  if_value,     ///< body, if hash(value) mod a < b
  repeat,       ///< body, a times
  leave,        ///< end of the step
  scan,         ///< peek on each input in turn, as an arbiter asks for their heads
};

/// What a push or slot sends.
enum class Operand { value, reg, hash };

struct Instruction {
  Op op = Op::leave;
  int port = 0;
  int reg = 0;
  std::int64_t a = 0, b = 0, c = 1;
  Operand operand = Operand::hash;
  std::vector<Instruction> body{};
};
using Program = std::vector<Instruction>;

/// What an actor keeps from step to step.
struct State {
  std::array<Value, 4> regs{};
  std::int64_t pushed = 0, pulled = 0;
  bool operator==(const State&) const = default;
};

/// When `done()` says yes; `never` means that the actor has no done().
struct Done {
  enum class When { never, pushed, pulled, moved, counted } when = When::never;
  std::int64_t at_least = 0;  ///< of tokens, or of register 0 for `counted`
  bool operator()(const State& state) const;
};

/// A program with its bodies laid out one after the other. `target`: where to go on when the body is not entered.
struct Code {
  Instruction what;
  int target = 0;
  bool loop_end = false;
};
std::vector<Code> flatten(const Program& program);
/// The same program for an actor with so many inputs, each scan written out.
Program spelled_out(const Program& program, std::size_t inputs);

/// The position of a step in its program; it lives as long as the step.
struct Frame {
  int at = 0;
  Value value = 0;
  bool last = false;
  bool eventful = false;              ///< moved a token, changed state, drew, read the time or waited
  bool refused = false;               ///< a port answered no
  std::vector<std::int64_t> loops{};  ///< rounds left
};

Value hash(Value x, Value y = 0, Value z = 0);
Value operand(const Instruction& push, const Frame& frame, const State& state);
/// a + b * (r mod c)
std::int64_t span(const Instruction& instruction, const State& state);
/// Carries out the instruction at `frame.at` if it concerns neither ports, time nor chance; false if it does.
bool control(const std::vector<Code>& code, Frame& frame, State& state);

}  // namespace isthmus::reference
