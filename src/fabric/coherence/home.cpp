#include "isthmus/fabric/coherence/home.hpp"

#include <bit>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

bool owns(HomeRequest::Kind kind) {
  return kind == HomeRequest::Kind::own || kind == HomeRequest::Kind::own_read || kind == HomeRequest::Kind::put;
}

/// Tells whether the answer has the line's bytes.
bool with_data(HomeRequest::Kind kind) {
  using enum HomeRequest::Kind;
  return kind == read || kind == read_once || kind == own_read;
}

}  // namespace

Home::Home(const HomeSpec& spec)
    : requests(spec.agents, "requests"),
      snoop_answers(spec.agents - spec.uncached, "snoop_answers"),
      confirms(spec.agents, "confirms"),
      write_backs(spec.agents, "write_backs"),
      snoops(snoop_answers.size(), "snoops"),
      answers(spec.agents, "answers"),
      spec_(spec),
      transactions_(static_cast<std::size_t>(spec.transactions)),
      free_(transactions_.size()),
      buckets_(std::bit_ceil(4 * transactions_.size()), kNone),
      // what a cache has asked for or written back, and void write-backs
      due_(requests.size(), Ring<Due>(2 * transactions_.size())),
      expected_(requests.size()) {
  if (spec.filled && spec.filled == spec.remembered)
    throw Error("a home: expected the cache that is filled to be another than the one it remembers the lines of");
}

// No push waits. Answers of caches, confirmations and data are taken whatever else happens, because all else waits for
// them. An input is only polled while something is due there: each poll costs as much as a token.
void Home::step() {
  moved_ = read_ = wrote_ = false;
  const std::size_t agents = requests.size();
  for (std::size_t agent = 0; agent < agents; ++agent) {
    take_confirm(agent);
    if (agent < snoops.size()) take_snoop_answer(agent);
  }
  take_memory_data();
  for (std::size_t i = 0, first = first_; i < agents; ++i) {
    const std::size_t agent = first + i < agents ? first + i : first + i - agents;
    take_write_back(agent);
    take_request(agent);
  }
  for (std::size_t agent = 0; agent < agents; ++agent) answer_due(agent);
  over_ = left_ == spec_.agents && under_way_ == 0;
  if (!moved_ && !over_)
    timer_.wait(requests, snoop_answers, confirms, write_backs, snoops, answers, memory_reads, memory_data,
                memory_writes);
}

void Home::take_confirm(std::size_t agent) {
  if (expected_[agent].confirms == 0) return;
  const Confirm* confirm = confirms[agent].pull_in_place();
  if (confirm == nullptr) return;
  moved_ = true;
  --expected_[agent].confirms;
  Transaction& transaction = transactions_[confirm->transaction];
  if (agent == transaction.requester)
    transaction.confirmed = true;
  else
    transaction.fill_due = false;
  end_if_over(confirm->transaction);
}

void Home::take_snoop_answer(std::size_t agent) {
  if (expected_[agent].snoop_answers == 0) return;
  const SnoopAnswer* answer = snoop_answers[agent].front();
  if (answer == nullptr) return;
  const std::uint16_t place = answer->transaction;
  Transaction& transaction = transactions_[place];
  const bool to_memory = answer->dirty && !owns(transaction.kind);
  if (to_memory && (wrote_ || !memory_writes.room())) return;
  answer = snoop_answers[agent].pull_in_place();
  moved_ = true;
  --expected_[agent].snoop_answers;
  --transaction.snoops_due;
  transaction.had |= answer->had;
  transaction.void_due |= answer->buffered;
  if (agent == spec_.remembered && (!answer->had || owns(transaction.kind))) given_.erase(transaction.line);
  if (answer->has_data) {
    transaction.has_data = true;
    if (with_data(transaction.kind)) copy_line(answer->data, transaction.data, spec_.line);
  }
  if (to_memory) write(transaction.line, transaction.data);
  answer_if_ready(place);
}

void Home::write(std::uint64_t line, const LineBytes& data) {
  ++written_;
  MemoryWrite& write = memory_writes.slot();
  write.line = line;
  copy_line(data, write.data, spec_.line);
  wrote_ = true;
}

void Home::take_memory_data() {
  if (data_due_ == 0) return;
  const MemoryData* data = memory_data.pull_in_place();
  if (data == nullptr) return;
  moved_ = true;
  --data_due_;
  Transaction& transaction = transactions_[data->transaction];
  transaction.memory_due = false;
  if (!transaction.has_data) {
    if (with_data(transaction.kind)) copy_line(data->data, transaction.data, spec_.line);
    answer_if_ready(data->transaction);
  }
  end_if_over(data->transaction);
}

/// Takes a write-back. If another transaction of the line is under way, its snoop has overtaken the write-back, which
/// is void. The home says so after the cache has answered the snoop: otherwise the cache would no longer have the data.
void Home::take_write_back(std::size_t agent) {
  if (expected_[agent].nothing_new && expected_[agent].puts == 0) return;
  const WriteBack* message = write_backs[agent].front();
  if (message == nullptr) return;
  std::uint16_t place = find(message->line);
  if (place != kNone) {
    Transaction& transaction = transactions_[place];
    if (transaction.kind == HomeRequest::Kind::put && transaction.requester == agent)
      return take_put(agent, *message, place);
    if (!transaction.void_due || transaction.requester == agent) return;
    transaction.void_due = false;
    due_[agent].push({.kind = HomeAnswer::Kind::written_back, .confirm = false, .place = message->place});
    ++under_way_;
    write_backs[agent].pull_in_place();
    moved_ = true;
    return end_if_over(place);
  }
  if (wrote_ || !free_.any() || !memory_writes.room()) return;
  place = begin(agent, message->line);
  transactions_[place].answered = true;
  write(message->line, message->data);
  due_[agent].push({.kind = HomeAnswer::Kind::written_back, .place = message->place, .transaction = place});
  ++under_way_;
  write_backs[agent].pull_in_place();
  moved_ = true;
}

/// Takes the bytes of a `put`, whose transaction ends with them.
void Home::take_put(std::size_t agent, const WriteBack& message, std::uint16_t place) {
  if (wrote_ || !memory_writes.room()) return;
  write(message.line, message.data);
  write_backs[agent].pull_in_place();
  moved_ = true;
  --expected_[agent].puts;
  transactions_[place].confirmed = true;
  end_if_over(place);
}

void Home::take_request(std::size_t agent) {
  if (expected_[agent].nothing_new) return;
  const HomeRequest* request = requests[agent].front();
  if (request == nullptr) return;
  if (request->kind == HomeRequest::Kind::leave) {
    ++left_;
    expected_[agent].nothing_new = true;
  } else {
    if (find(request->line) != kNone || !free_.any() || !may_ask_others(agent)) return;
    ask(agent, *request, begin(agent, request->line));
    first_ = agent + 1;
  }
  requests[agent].pull_in_place();
  moved_ = true;
}

bool Home::may_ask_others(std::size_t agent) {
  if (read_ || !memory_reads.room()) return false;
  for (std::size_t other = 0; other < snoops.size(); ++other)
    if (other != agent && !snoops[other].room()) return false;
  return true;
}

/// Tells whether memory has a message for the home. It is asked once in a step, because memory_reads takes one token a
/// tick.
bool Home::ask_memory(const HomeRequest& request, std::uint16_t place) {
  const bool fence = request.kind == HomeRequest::Kind::fence;
  if (!fence && !spec_.directory && !with_data(request.kind)) return false;
  memory_reads.push({.fence = fence, .transaction = place, .line = fence ? written_ : request.line});
  read_ = true;
  ++data_due_;
  return true;
}

void Home::ask(std::size_t agent, const HomeRequest& request, std::uint16_t place) {
  Transaction& transaction = transactions_[place];
  transaction.kind = request.kind;
  transaction.miss = request.miss;
  transaction.memory_due = ask_memory(request, place);
  if (request.kind == HomeRequest::Kind::put) ++expected_[agent].puts;
  if (request.kind == HomeRequest::Kind::fence) return;
  for (std::size_t other = 0; other < snoops.size(); ++other) {
    if (other == agent || !may_have(other, agent, request.line)) continue;
    snoops[other].push({.invalidate = owns(request.kind),
                        .data = with_data(request.kind),
                        .transaction = place,
                        .line = request.line});
    ++transaction.snoops_due;
    ++expected_[other].snoop_answers;
  }
  if (agent == spec_.remembered && request.kind != HomeRequest::Kind::read_once) given_.insert(request.line);
  answer_if_ready(place);
}

/// Tells whether a cache may have the line. For agents without a cache every cache is asked, because the time of a
/// link's read was measured like this.
bool Home::may_have(std::size_t other, std::size_t agent, std::uint64_t line) const {
  return other != spec_.remembered || agent >= snoops.size() || given_.contains(line);
}

/// Tells whether the line of an answered read also stays in the cache that is filled.
bool Home::fills(const Transaction& transaction) const {
  using enum HomeRequest::Kind;
  return spec_.filled && transaction.requester != *spec_.filled && transaction.requester < snoops.size() &&
         (transaction.kind == read || transaction.kind == read_once) && !transaction.had &&
         !expected_[*spec_.filled].nothing_new;
}

void Home::answer_if_ready(std::uint16_t place) {
  Transaction& transaction = transactions_[place];
  if (transaction.answered || transaction.snoops_due > 0) return;
  if (transaction.memory_due && !transaction.has_data) return;
  transaction.answered = true;
  due_[transaction.requester].push(
      {.confirm = transaction.kind != HomeRequest::Kind::put, .place = transaction.miss, .transaction = place});
  ++under_way_;
  if (!spec_.filled || !fills(transaction)) return;
  transaction.fills = transaction.fill_due = true;
  due_[*spec_.filled].push({.kind = HomeAnswer::Kind::fill, .transaction = place});
  ++under_way_;
}

void Home::answer_due(std::size_t agent) {
  if (due_[agent].empty() || !answers[agent].room()) return;
  const Due due = due_[agent].front();
  due_[agent].pop();
  --under_way_;
  moved_ = true;
  if (due.confirm) ++expected_[agent].confirms;
  HomeAnswer& answer = answers[agent].slot();
  answer.kind = due.kind;
  answer.confirm = due.confirm;
  answer.place = due.place;
  answer.transaction = due.transaction;
  answer.has_data = false;
  if (due.kind == HomeAnswer::Kind::grant) grant(transactions_[due.transaction], answer);
  if (due.kind == HomeAnswer::Kind::fill) fill(transactions_[due.transaction], answer);
}

void Home::fill(const Transaction& transaction, HomeAnswer& answer) const {
  answer.line = transaction.line;
  answer.has_data = true;
  answer.state = transaction.kind == HomeRequest::Kind::read ? LineState::shared : LineState::exclusive;
  copy_line(transaction.data, answer.data, spec_.line);
}

void Home::grant(const Transaction& transaction, HomeAnswer& answer) const {
  answer.has_data = with_data(transaction.kind);
  if (answer.has_data) copy_line(transaction.data, answer.data, spec_.line);
  if (owns(transaction.kind))
    answer.state = LineState::modified;
  else if (transaction.kind == HomeRequest::Kind::read_once || transaction.kind == HomeRequest::Kind::fence)
    answer.state = LineState::invalid;
  else if (!transaction.had && !transaction.fills)
    answer.state = LineState::exclusive;
  else
    answer.state = spec_.forward ? LineState::forward : LineState::shared;
}

std::uint16_t Home::begin(std::size_t agent, std::uint64_t line) {
  const std::uint16_t place = free_.take();
  Transaction& transaction = transactions_[place];
  transaction.line = line;
  transaction.requester = agent;
  transaction.kind = {};
  transaction.snoops_due = 0;
  transaction.memory_due = transaction.had = transaction.has_data = transaction.answered = transaction.confirmed =
      transaction.void_due = transaction.fills = transaction.fill_due = false;
  transaction.next = bucket(line);
  bucket(line) = place;
  ++under_way_;
  return place;
}

std::uint16_t Home::find(std::uint64_t line) const {
  std::uint16_t place = buckets_[line & (buckets_.size() - 1)];
  while (place != kNone && transactions_[place].line != line) place = transactions_[place].next;
  return place;
}

void Home::end_if_over(std::uint16_t place) {
  const Transaction& transaction = transactions_[place];
  if (!transaction.confirmed || transaction.memory_due || transaction.void_due || transaction.fill_due) return;
  std::uint16_t* at = &bucket(transaction.line);
  while (*at != place) at = &transactions_[*at].next;
  *at = transaction.next;
  free_.give(place);
  --under_way_;
}

void LineMemory::step() {
  bool moved = false;
  if (const MemoryWrite* write = writes.pull_in_place(); write != nullptr) {
    copy_bytes(write->data.data(), at(write->line), static_cast<std::size_t>(line_));
    moved = true;
  }
  if (const MemoryRead* read = reads.front(); read != nullptr && data.room()) {
    MemoryData& answer = data.slot();
    answer.transaction = read->transaction;
    if (!read->fence) copy_bytes(at(read->line), answer.data.data(), static_cast<std::size_t>(line_));
    reads.pull_in_place();
    moved = true;
  }
  if (!moved) timer_.wait(reads, data, writes);
}

}  // namespace isthmus::fabric
