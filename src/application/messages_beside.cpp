#include "application/messages_beside.hpp"

#include <utility>

#include "isthmus/base/interrupt.hpp"

namespace isthmus::program {
namespace {

/// The number of messages that may wait for the thread that compares.
constexpr std::size_t kWaiting = 3;

}  // namespace

std::span<const std::byte> MessagesBeside::input(int message) {
  Room& to = room(message);
  draw(message, to);
  return to.in;
}

std::span<std::byte> MessagesBeside::output(int message) {
  Room& to = room(message);
  to.out.resize(application_.output);
  return to.out;
}

void MessagesBeside::finished(int message) {
  stop_if_interrupted();
  room(message).ended = true;
  for (auto first = under_way_.begin(); first != under_way_.end() && first->first == next_ && first->second->ended;
       first = under_way_.erase(first), ++next_) {
    worker_.add([this, number = next_, &of = *first->second] {
      draw(number, of);
      checker_.check(number, of.in, of.out);
    });
    compared_.push_back(std::move(first->second));
  }
}

MessagesBeside::Room& MessagesBeside::room(int message) {
  auto& room = under_way_[message];
  if (room == nullptr) room = unused_room();
  return *room;
}

std::unique_ptr<MessagesBeside::Room> MessagesBeside::unused_room() {
  if (compared_.size() < kWaiting) return std::make_unique<Room>();
  worker_.wait_for(++reused_);
  auto room = std::move(compared_.front());
  compared_.pop_front();
  room->drawn = room->ended = false;
  return room;
}

void MessagesBeside::draw(int message, Room& to) const {
  if (std::exchange(to.drawn, true)) return;
  to.in.resize(application_.input);
  application_.fill(message, to.in);
}

}  // namespace isthmus::program
