#include "engine/generator.hpp"

namespace isthmus::reference {
namespace {

/// Registers by their use: 0 is what done() may count, 1 collects what was seen, 2 counts start-up tokens, 3 timer
/// rounds.
enum Register { kCounted, kSeen, kStarted, kRounds };

/// Writes programs out of the habits that real actors have, and out of no habit at all.
class Writer {
 public:
  Writer(Dice& dice, const Means& means) : dice_(dice), means_(means) {}

  /// Most with many inputs are there to serve them all.
  Program fragment(int depth) {
    if (means_.arrays && means_.ins > 1 && dice_.chance(60)) return scanning_arbiter();
    if (means_.ins > kPorts && dice_.chance(60)) return means_.outs > 0 ? arbiter() : serve_all();
    if (means_.ins > 0 && means_.outs > 0 && dice_.chance(55)) return relay();
    if (means_.ins > 0 && dice_.chance(50)) return consume();
    if (means_.outs > 0 && dice_.chance(70)) return produce();
    if (dice_.chance(25)) return timed();
    if (depth > 0 && dice_.chance(40)) return guarded(depth);
    return soup(depth);
  }

  /// Takes from every input and sends to every output, one way or another.
  Program serve_all() {
    Program program;
    const auto append = [&](const Program& more) { program.insert(program.end(), more.begin(), more.end()); };
    for (int port = 0; port < means_.ins; ++port) {
      const Instruction pull{.op = Op::pull, .port = port}, read{.op = Op::read, .port = port};
      const Program pass = port < means_.outs ? Program{push(port)} : Program{seen()};
      switch (dice_.number(0, 4)) {
        case 0:
          append({read, pass[0]});
          break;
        case 1:
          append({pull, {.op = Op::if_last, .body = pass}});
          break;
        case 2:
          append({head_question(port), {.op = Op::if_last, .body = {pull, pass[0]}}});
          break;
        case 3:
          append({read, seen(), pass[0]});
          break;
        default:
          append({{.op = Op::repeat, .a = dice_.number(1, 3), .body = {pull, {.op = Op::if_last, .body = pass}}}});
      }
    }
    for (int port = means_.ins; port < means_.outs; ++port) append(send(port));
    return program;
  }

  Program produce() {
    const Instruction out = push();
    switch (dice_.number(0, 5)) {
      case 0:
        return {question(Op::room, out.port), {.op = Op::if_last, .body = {out}}};
      case 1:
        return {{.op = Op::repeat, .a = dice_.number(1, 4), .body = {out}}};
      case 2:
        return start_up();
      case 3:
        return {out, push()};
      default:
        return {out};
    }
  }

  /// The first tokens of a loop.
  Program start_up() {
    return {{.op = Op::if_below,
             .reg = kStarted,
             .a = dice_.number(1, 6),
             .body = {push(), {.op = Op::count, .reg = kStarted}}}};
  }

  Program timed() {
    const std::int64_t wait = dice_.chance(10) ? 0 : dice_.between(1, 12) * means_.unit + dice_.between(0, 3);
    switch (dice_.number(0, 4)) {
      case 0:
        return {{.op = Op::wait_on, .a = wait}};
      case 1:
        return {{.op = Op::wait_until, .a = 20 * wait}};
      case 2:
        return {{.op = Op::wait_until, .reg = kRounds, .a = wait, .b = wait + 1, .c = 4096},
                {.op = Op::count, .reg = kRounds}};
      case 3:
        return {{.op = Op::wait_until, .reg = kSeen, .a = 8 * wait, .b = means_.unit, .c = 64}};
      default:
        if (means_.clocked) return {{.op = Op::now}, {.op = Op::store, .reg = kSeen}};
        return {{.op = Op::wait, .reg = kSeen, .a = wait, .b = dice_.between(means_.unit / 4, means_.unit), .c = 5}};
    }
  }

 private:
  int in() { return dice_.number(0, means_.ins - 1); }
  int out() { return dice_.number(0, means_.outs - 1); }
  Instruction push() { return push(out()); }
  Instruction push(int port) {
    return {.op = dice_.chance(80) ? Op::push : Op::slot,
            .port = port,
            .reg = dice_.one_of({0, 1, 1, 2}),
            .a = dice_.number(0, 99),
            .operand = dice_.chance(80) ? Operand::hash : Operand::value};
  }
  static Instruction question(Op op, int port) { return {.op = op, .port = port}; }
  Instruction head_question(int port) { return question(dice_.chance(70) ? Op::peek : Op::front, port); }
  Instruction seen() { return {.op = Op::mix, .reg = kSeen}; }

  Program send(int port) {
    switch (dice_.number(0, 3)) {
      case 0:
        return {question(Op::room, port), {.op = Op::if_last, .body = {push(port)}}};
      case 1:
        return {{.op = Op::if_register, .reg = kSeen, .a = 3, .b = 2, .body = {push(port)}}};
      default:
        return {push(port)};
    }
  }

  Program consume() {
    const int port = in();
    switch (dice_.number(0, 7)) {
      case 0:
        return {{.op = Op::read, .port = port}, seen()};
      case 1:
        return {{.op = Op::drop, .port = port}};
      case 2:
        return {{.op = Op::repeat, .a = dice_.number(1, 4), .body = {{.op = Op::pull, .port = port}}}};
      case 3:
        return {question(Op::closed, port), {.op = Op::if_last, .body = {seen()}}, {.op = Op::pull, .port = port}};
      case 4:
        return {head_question(port),
                {.op = Op::if_last,
                 .body = {{.op = Op::front_time, .port = port}, seen(), {.op = Op::pull, .port = port}}}};
      case 5:
        return {{.op = Op::repeat, .a = dice_.number(1, 3), .body = {{.op = Op::read, .port = port}, seen()}}};
      case 6:
        return {{.op = Op::pull, .port = port}, {.op = Op::if_not, .body = timed_or_nothing()}};
      default:
        return {{.op = Op::pull, .port = port}, {.op = Op::if_last, .body = {seen()}}};
    }
  }

  Program relay() {
    const int port = in();
    const Instruction send = push();
    const Instruction pull{.op = Op::pull, .port = port}, read{.op = Op::read, .port = port};
    switch (dice_.number(0, 8)) {
      case 0:
        return {read, send};
      case 1:
        return {read, seen(), send, push()};
      case 2:
        return {
            head_question(port),
            {.op = Op::if_last, .body = {question(Op::room, send.port), {.op = Op::if_last, .body = {pull, send}}}}};
      case 3:
        return {{.op = Op::repeat, .a = dice_.number(1, 4), .body = {read, seen()}}, send};
      case 4:
        return {read, {.op = Op::if_value, .a = 2, .b = 1, .body = {send, {.op = Op::leave}}}, push()};
      case 5:
        return arbiter();
      case 6:
        return {pull, {.op = Op::if_last, .body = {seen(), send}}, {.op = Op::if_not, .body = timed_or_nothing()}};
      case 7:
        return {read, {.op = Op::repeat, .a = dice_.number(1, 3), .body = {send}}};
      default:
        return {pull, {.op = Op::if_last, .body = {send}}};
    }
  }

  Program arbiter() {
    Program program;
    if (dice_.chance(50)) return scanning_arbiter();
    for (int port = 0; port < means_.ins; ++port) {
      program.push_back(head_question(port));
      program.push_back({.op = Op::if_last, .body = {{.op = Op::pull, .port = port}, push(), {.op = Op::leave}}});
    }
    return program;
  }

  /// Asks for all heads, then serves the first that is there, or all.
  Program scanning_arbiter() {
    Program program;
    if (dice_.chance(20)) program.push_back(head_question(in()));
    program.push_back({.op = Op::scan});
    if (dice_.chance(20)) program.push_back(head_question(in()));
    const bool all = dice_.chance(30);
    for (int port = 0; port < means_.ins; ++port) {
      Program serve{means_.outs > 0 ? push() : seen()};
      if (!all) serve.push_back({.op = Op::leave});
      program.push_back({.op = Op::pull, .port = port});
      program.push_back({.op = Op::if_last, .body = serve});
    }
    return program;
  }

  Program timed_or_nothing() {
    if (!means_.clocked && dice_.chance(50)) return {{.op = Op::wait, .a = dice_.between(1, 12) * means_.unit}};
    if (dice_.chance(30)) return timed();
    return {{.op = Op::constant, .a = 7}};
  }

  Program guarded(int depth) {
    const Instruction guard{
        .op = dice_.one_of({Op::if_register, Op::if_register, Op::if_value, Op::if_last, Op::if_not}),
        .reg = kSeen,
        .a = dice_.number(2, 5),
        .b = dice_.number(1, 2),
        .body = fragment(depth - 1)};
    return {guard};
  }

  Program soup(int depth) {
    Program program;
    for (int i = dice_.number(1, 4); i > 0; --i) program.push_back(anything(depth));
    return program;
  }

  Instruction anything(int depth) {
    const int kind = dice_.number(0, 9);
    if (kind <= 3 && means_.ins > 0 && dice_.chance(20)) return {.op = Op::scan};
    if (kind <= 3 && means_.ins > 0)
      return {.op = dice_.one_of({Op::pull, Op::drop, Op::read, Op::peek, Op::front, Op::closed}), .port = in()};
    if (kind <= 6 && means_.outs > 0) return dice_.chance(50) ? push() : question(Op::room, out());
    if (kind == 7 && dice_.chance(40)) return {.op = Op::draw, .a = dice_.number(1, 9)};
    if (kind == 8 && depth > 0)
      return {.op = Op::repeat, .a = dice_.number(1, 3), .body = {anything(depth - 1), anything(depth - 1)}};
    if (kind == 9 && dice_.chance(30)) return {.op = Op::count, .reg = kSeen};
    return {.op = dice_.one_of({Op::mix, Op::constant}), .reg = kRounds};
  }

  Dice& dice_;
  const Means& means_;
};

}  // namespace

Program random_program(Dice& dice, const Means& means, bool promises) {
  Writer writer(dice, means);
  Program program;
  const auto append = [&](Program more) { program.insert(program.end(), more.begin(), more.end()); };
  if (means.periodic && dice.chance(70)) append(writer.timed());
  if (means.ins > 0 && means.outs > 0 && dice.chance(means.calm ? 60 : 35)) append(writer.start_up());
  if (means.calm) {
    append(writer.serve_all());
  } else {
    if (means.ins == 0 && means.outs > 0 && dice.chance(85)) append(writer.produce());
    for (int i = dice.one_of({1, 1, 1, 2, 2, 3}); i > 0; --i) append(writer.fragment(2));
  }
  if (dice.chance(means.ins == 0 ? 30 : 8)) append(writer.timed());
  if (means.counts) append({{.op = Op::count, .reg = kCounted}});
  if (promises) append({{.op = Op::sleep}});
  return program;
}

}  // namespace isthmus::reference
