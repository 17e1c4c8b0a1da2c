#include "program/messages_beside.hpp"

#include <algorithm>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// How far ahead of the message that is finished a flow may ask for input (Exchange).
constexpr int kAhead = 4;

}  // namespace

MessagesBeside::MessagesBeside(const ByteApplication& application, Checker& checker)
    : application_(application), checker_(checker), slots_(kAhead) {}

std::span<const std::byte> MessagesBeside::input(int message) {
  Slot& to = slot(message);
  draw(message, to);
  return to.in;
}

std::span<std::byte> MessagesBeside::output(int message) {
  Slot& to = slot(message);
  to.out.resize(application_.output);
  return to.out;
}

void MessagesBeside::finished(int message) {
  stop_if_interrupted();
  worker_.add([this, message, &of = slot(message)] {
    draw(message, of);
    checker_.check(message, of.in, of.out);
  });
}

MessagesBeside::Slot& MessagesBeside::slot(int message) {
  worker_.wait_for(static_cast<std::uint64_t>(std::max(0, message + 1 - kAhead)));
  return slots_[static_cast<std::size_t>(message % kAhead)];
}

void MessagesBeside::draw(int message, Slot& to) const {
  if (to.drawn == message) return;
  to.in.resize(application_.input);
  application_.fill(message, to.in);
  to.drawn = message;
}

}  // namespace isthmus::program
