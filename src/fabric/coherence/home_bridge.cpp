#include "isthmus/fabric/coherence/home_bridge.hpp"

#include <cstring>

namespace isthmus::fabric {

HomeBridge::HomeBridge(const HomeBridgeSpec& spec)
    : spec_(spec),
      reads_(static_cast<std::size_t>(spec.reads)),
      free_reads_(reads_.size()),
      lines_(static_cast<std::size_t>(spec.lines)),
      free_lines_(lines_.size()),
      stretches_(1) {}

// A push may only wait for an actor that takes it whatever else happens: the home takes confirmations and puts, the
// completer takes answers, of which there are no more than tags.
void HomeBridge::step() {
  moved_ = false;
  take_answer();
  answer_fences();
  take_request();
  if (moved_) return;
  leave();
  if (!moved_ && !over_)
    timer_.wait(requests, dllps, answers, messages, posted, home_requests, home_answers, confirms, write_backs);
}

void HomeBridge::take_answer() {
  if (under_way_ == 0) return;
  const HomeAnswer* answer = home_answers.pull_in_place();
  if (answer == nullptr) return;
  moved_ = true;
  --under_way_;
  if (answer->confirm) confirms.push({answer->transaction});
  Line& line = lines_[answer->place];
  line.put ? put(line, answer->place) : take_read_line(*answer);
  free_lines_.give(answer->place);
}

void HomeBridge::put(Line& line, std::uint16_t place) {
  WriteBack& message = write_backs.slot();
  message.place = place;
  message.line = line.number;
  copy_line(line.data, message.data, spec_.line);
  --stretches_[line.fences - fences_].under_way;
}

void HomeBridge::take_read_line(const HomeAnswer& answered) {
  const Line& line = lines_[answered.place];
  Read& read = reads_[line.read];
  std::memcpy(read.data.data() + line.offset, answered.data.data(), static_cast<std::size_t>(spec_.line));
  read.left = static_cast<std::uint16_t>(read.left - spec_.line);
  if (read.left > 0) return;
  answer(read);
  free_reads_.give(line.read);
}

void HomeBridge::answer(const Read& read) {
  HostAnswer& answer = answers.slot();
  answer.latency = {};
  answer.packets = read.packets;
  answer.tag = read.tag;
  answer.bytes = read.bytes;
  answer.addr = read.addr;
  std::memcpy(answer.payload.data(), read.data.data(), read.bytes);
}

void HomeBridge::take_request() {
  const HostRequest* request = requests.front();
  if (request == nullptr) return;
  if (!begun_) {
    if (request->kind == HostRequest::Kind::read && !free_reads_.any()) return;
    begin(*request);
  }
  const bool lines = request->kind != HostRequest::Kind::message && request->addr != kFenceAddress;
  if (lines && !ask_next_line(*request)) return;
  requests.pull_in_place();
  begun_ = false;
  moved_ = true;
}

/// Takes a request out of the receive buffer, and acknowledges a write.
void HomeBridge::begin(const HostRequest& request) {
  begun_ = moved_ = true;
  asked_ = 0;
  if (request.due.count() > 0) dllps.push(request.due);
  if (request.kind == HostRequest::Kind::message)
    std::memcpy(&messages.slot(), request.payload.data(), sizeof(DeviceMessage));
  if (request.kind == HostRequest::Kind::write) posted.push({request.bytes});
  if (request.kind != HostRequest::Kind::read) return;
  if (request.addr == kFenceAddress) return take_fence(request);
  read_ = free_reads_.take();
  Read& read = reads_[read_];
  read.addr = request.addr;
  read.bytes = read.left = request.bytes;
  read.tag = request.tag;
  read.packets = request.packets;
}

void HomeBridge::take_fence(const HostRequest& request) {
  Stretch& last = stretches_.back();
  last.fenced = true;
  last.fence.addr = request.addr;
  last.fence.bytes = request.bytes;
  last.fence.tag = request.tag;
  last.fence.packets = request.packets;
  stretches_.emplace_back();
}

/// Answers the oldest fence first: a later one also waits for the writes before an earlier one.
void HomeBridge::answer_fences() {
  const Stretch& first = stretches_.front();
  if (!first.fenced || first.under_way > 0) return;
  answer(first.fence);
  stretches_.pop_front();
  ++fences_;
  moved_ = true;
}

/// Tells whether that was its last.
bool HomeBridge::ask_next_line(const HostRequest& request) {
  if (!free_lines_.any() || !home_requests.room()) return false;
  const std::uint16_t place = free_lines_.take();
  Line& line = lines_[place];
  line.put = request.kind == HostRequest::Kind::write;
  line.number = (request.addr + asked_) / static_cast<std::uint64_t>(spec_.line);
  line.offset = asked_;
  line.read = read_;
  if (line.put) {
    line.fences = fences_ + stretches_.size() - 1;
    ++stretches_.back().under_way;
    std::memcpy(line.data.data(), request.payload.data() + asked_, static_cast<std::size_t>(spec_.line));
  }
  const HomeRequest::Kind kind = line.put ? HomeRequest::Kind::put : HomeRequest::Kind::read_once;
  home_requests.push({.kind = kind, .miss = place, .line = line.number});
  ++under_way_;
  moved_ = true;
  asked_ = static_cast<std::uint16_t>(asked_ + spec_.line);
  return asked_ >= request.bytes;
}

void HomeBridge::leave() {
  if (under_way_ > 0 || stretches_.size() > 1 || !requests.closed() || !home_requests.room()) return;
  home_requests.push({.kind = HomeRequest::Kind::leave, .miss = 0, .line = 0});
  over_ = moved_ = true;
}

}  // namespace isthmus::fabric
