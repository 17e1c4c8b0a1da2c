#include "isthmus/stream/link_users.hpp"

#include <algorithm>

#include "isthmus/stream/all_closed.hpp"
#include "untold.hpp"

namespace isthmus {
namespace {

constexpr int kRequests = 2;  // that wait between two parts

}  // namespace

void ReadArbiter::step() {
  const auto user = turn_.next(requests);
  if (!user) {
    finished_ = all_closed(requests);
    if (!finished_) timer_.wait(requests);
    return;
  }
  const PcieReadReq request = requests[*user].read();
  turns.push({.user = static_cast<std::uint32_t>(*user), .words = request.num});
  out.push(request);
}

void ReadDistributor::step() {
  if (turn_.words == 0) turn_ = turns.read();
  if (turn_.words == 0) return;
  out[turn_.user].push(in.read());
  --turn_.words;
}

void WriteArbiter::step() {
  if (under_way_.words == 0) choose();
  if (under_way_.words == 0) return;
  words.slot().data = data[under_way_.user].read_in_place().data;
  --under_way_.words;
}

void WriteArbiter::choose() {
  const auto user = turn_.next(requests);
  if (!user) {
    finished_ = all_closed(requests);
    if (!finished_) timer_.wait(requests);
    return;
  }
  const PcieWriteApply request = requests[*user].read();
  under_way_ = {.user = static_cast<std::uint32_t>(*user), .words = request.num};
  turns.push(under_way_);
  out.push(request);
}

void WriteDistributor::step() {
  const LinkTurn turn = turns.read();
  written[turn.user].push(in.read());
}

void LinkUsers::connect() {
  if (reads_.size() == 1)
    connect_alone(reads_.front());
  else
    share_reads();
  if (writes_.size() == 1)
    connect_alone(writes_.front());
  else
    share_writes();
}

void LinkUsers::connect_alone(const LinkReads& reads) {
  graph_.connect(reads.requests, link_.read_requests, {.depth = kRequests});
  graph_.connect(link_.read_data, reads.data, {.depth = reads.words + 1});
}

void LinkUsers::connect_alone(const LinkWrites& writes) {
  graph_.connect(writes.requests, link_.write_requests, {.depth = kRequests});
  graph_.connect(writes.data, link_.write_data, {.depth = writes.words});
  graph_.connect(link_.writes_done, writes.written, {.depth = writes.requested});
}

void LinkUsers::share_reads() {
  const ActorOptions clocked{.clock = clock_, .group = kDeviceGroup};
  auto& arbiter = graph_.add<ReadArbiter>("read arbiter", clocked, reads_.size());
  auto& back = graph_.add<ReadDistributor>("read distributor", clocked, reads_.size());
  int words = 0;
  for (std::size_t user = 0; user < reads_.size(); ++user) {
    graph_.connect(reads_[user].requests, arbiter.requests[user], {.depth = kRequests});
    graph_.connect(back.out[user], reads_[user].data, {.depth = reads_[user].words + 1});
    words += reads_[user].words;
  }
  // No request asks for less than a word: so many turns may be under way.
  graph_.connect(arbiter.turns, back.turns, {.depth = words});
  graph_.connect(arbiter.out, link_.read_requests, {.depth = kRequests});
  graph_.connect(link_.read_data, back.in, {.depth = words + 1});
}

void LinkUsers::share_writes() {
  const ActorOptions clocked{.clock = clock_, .group = kDeviceGroup};
  auto& arbiter = graph_.add<WriteArbiter>("write arbiter", clocked, writes_.size());
  auto& back = graph_.add<WriteDistributor>("write distributor", clocked, writes_.size());
  int words = 0;
  for (std::size_t user = 0; user < writes_.size(); ++user) {
    const LinkWrites& writes = writes_[user];
    graph_.connect(writes.requests, arbiter.requests[user], {.depth = kRequests});
    graph_.connect(writes.data, arbiter.data[user], {.depth = writes.words});
    graph_.connect(back.written[user], writes.written, {.depth = writes.requested});
    words = std::max(words, writes.words);
  }
  graph_.connect(arbiter.turns, back.turns, {.depth = kUntoldWrites});
  graph_.connect(arbiter.out, link_.write_requests, {.depth = kRequests});
  graph_.connect(arbiter.words, link_.write_data, {.depth = words});
  graph_.connect(link_.writes_done, back.in, {.depth = kUntoldWrites});
}

}  // namespace isthmus
