#include "isthmus/fabric/coherence/uncached_agent.hpp"

namespace isthmus::fabric {

UncachedAgent::UncachedAgent(int line, int lines)
    : line_(line), lines_(static_cast<std::size_t>(lines)), free_(lines_.size()) {}

// A push may only wait for an actor that takes it whatever else happens: the home takes confirmations and puts, the
// client takes its results.
void UncachedAgent::step() {
  moved_ = false;
  take_answer();
  take_request();
  if (moved_) return;
  leave();
  if (!moved_ && !over_) timer_.wait(requests, results, home_requests, home_answers, confirms, write_backs);
}

void UncachedAgent::take_answer() {
  if (under_way_ == 0) return;
  const HomeAnswer* answer = home_answers.pull_in_place();
  if (answer == nullptr) return;
  moved_ = true;
  --under_way_;
  if (answer->confirm) confirms.push({answer->transaction});
  const LineAccess& access = lines_[answer->place];
  if (is_write(access.kind)) {
    WriteBack& message = write_backs.slot();
    message.line = access.addr / static_cast<std::uint64_t>(line_);
    copy_line(access.data, message.data, line_);
  }
  LineResult& result = begin_result(results, access);
  if (!is_write(access.kind)) copy_line(answer->data, result.data, line_);
  free_.give(answer->place);
}

void UncachedAgent::take_request() {
  if (!free_.any() || !home_requests.room()) return;
  const LineAccess* request = requests.pull_in_place();
  if (request == nullptr) return;
  const std::uint16_t place = free_.take();
  LineAccess& access = lines_[place];
  access.kind = request->kind;
  access.bytes = request->bytes;
  access.tag = request->tag;
  access.addr = request->addr;
  const bool write = is_write(request->kind);
  if (write) copy_line(request->data, access.data, line_);
  home_requests.push({.kind = write ? HomeRequest::Kind::put : HomeRequest::Kind::read_once,
                      .miss = place,
                      .line = request->addr / static_cast<std::uint64_t>(line_)});
  ++under_way_;
  moved_ = true;
}

void UncachedAgent::leave() {
  if (under_way_ > 0 || !requests.closed() || !home_requests.room()) return;
  home_requests.push({.kind = HomeRequest::Kind::leave, .miss = 0, .line = 0});
  over_ = moved_ = true;
}

}  // namespace isthmus::fabric
