#include "isthmus/fabric/coherence/coherent_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isthmus/base/error.hpp"

namespace isthmus::fabric {
namespace {

/// The lines that fences of the agents ask for, one for each agent: memory has none of them.
constexpr std::uint64_t kFenceLine = ~std::uint64_t{0};

const CoherentCacheSpec& checked(const CoherentCacheSpec& spec) {
  if (!std::has_single_bit(static_cast<unsigned>(spec.line)) || spec.line > kMostLine)
    throw Error(fmt::format("a cache: expected lines of a power of two up to {} B, got {} B", kMostLine, spec.line));
  if (spec.ports < 0) throw Error(fmt::format("a cache: expected 0 ports or more, got {}", spec.ports));
  if (spec.ways < 1) throw Error(fmt::format("a cache: expected 1 way or more, got {}", spec.ways));
  if (spec.reads_in_flight < 1 || spec.writes_in_flight < 1)
    throw Error(fmt::format("a cache: expected 1 read and 1 write in flight or more, got {} and {}",
                            spec.reads_in_flight, spec.writes_in_flight));
  return spec;
}

}  // namespace

CoherentCache::CoherentCache(const CoherentCacheSpec& spec, std::size_t agent, CoherenceObserver* observer)
    : requests(checked(spec).ports, "requests"),
      results(spec.ports, "results"),
      hints(spec.watched_lines > 0 ? 1 : 0, "hints"),
      spec_(spec),
      agent_(agent),
      observer_(observer),
      line_shift_(std::countr_zero(static_cast<unsigned>(spec.line))),
      store_(spec.size, spec.ways, spec.line, spec.random ? &random_ : nullptr),
      misses_(static_cast<std::size_t>(spec.reads_in_flight + spec.writes_in_flight)),
      free_misses_(misses_.size()),
      reads_free_(spec.reads_in_flight),
      writes_free_(spec.writes_in_flight),
      buffer_(static_cast<std::size_t>(spec.writes_in_flight)),
      free_buffer_(buffer_.size()),
      puts_(misses_.size()),
      waiting_(requests.size(), Ring<std::uint16_t>(misses_.size())),
      fences_(requests.size()) {}

// A push may only wait for an actor that always takes it: the home takes confirmations and answers to snoops, clients
// take their results. For all else there is room first, so that what comes from the home is always taken.
void CoherentCache::step() {
  moved_ = asked_ = wrote_back_ = hinted_ = false;
  handed_on_ = 0;
  if (under_way_ != 0 || spec_.filled) take_answer();
  answer_snoop();
  if (!puts_.empty()) send_put();
  hand_on_waiting();
  for (std::size_t port = 0; port < requests.size(); ++port) look_up(port);
  if (moved_) return;
  leave();
  if (!moved_ && !over_)
    timer_.wait(requests, results, home_requests, home_answers, confirms, write_backs, snoops, snoop_answers, hints);
}

void CoherentCache::set(Way& way, LineState state) {
  way.state = state;
  if (observer_ != nullptr) observer_->now_is(agent_, way.line, state, timer_.now());
}

void CoherentCache::give_up(Way& way) {
  set(way, LineState::invalid);
  if (!is_watched(way.line)) return;
  hints[0].push(static_cast<std::uint16_t>(way.line - spec_.watched));
  hinted_ = true;
}

bool CoherentCache::is_watched(std::uint64_t line) const {
  return line - spec_.watched < static_cast<std::uint64_t>(spec_.watched_lines);
}

/// Tells whether a result may leave by this port in this step.
bool CoherentCache::result_goes(std::size_t port) const {
  return (handed_on_ >> port & 1U) == 0;
}

void CoherentCache::take_answer() {
  const HomeAnswer* answer = home_answers.pull_in_place();
  if (answer == nullptr) return;
  moved_ = true;
  if (answer->confirm) confirms.push({answer->transaction});
  if (answer->kind == HomeAnswer::Kind::fill) return take_fill(*answer);
  --under_way_;
  answer->kind == HomeAnswer::Kind::grant ? take_grant(*answer) : take_written_back(*answer);
}

void CoherentCache::take_grant(const HomeAnswer& answer) {
  Miss& miss = misses_[answer.place];
  LineAccess& access = miss.access;
  if (miss.puts) return puts_.push(answer.place);
  if (miss.way == nullptr) {
    copy_bytes(answer.data.data() + offset_of(access.addr), access.data.data(), access.bytes);
  } else {
    Way& way = *miss.way;
    way.awaited = false;
    if (answer.has_data) copy_bytes(answer.data.data(), store_.bytes(way), line_bytes());
    set(way, answer.state);
    std::byte* const at = store_.bytes(way) + offset_of(access.addr);
    if (is_write(access.kind))
      copy_bytes(access.data.data(), at, access.bytes);
    else
      copy_bytes(at, access.data.data(), access.bytes);
    miss.way = nullptr;
  }
  if (!miss.filled) return waiting_[miss.port].push(answer.place);
  ++reads_free_;
  free_misses_.give(answer.place);
}

void CoherentCache::take_written_back(const HomeAnswer& answer) {
  Buffered& place = buffer_[answer.place];
  if (place.valid && observer_ != nullptr) observer_->buffered(agent_, place.line, false, timer_.now());
  place.taken = place.valid = false;
  place.order = kNoWrite;
  free_buffer_.give(answer.place);
  --buffered_;
  ++writes_free_;
}

/// Takes a fill. The home has heard that this cache has no copy; a request for the line that began since then waits for
/// this transaction.
void CoherentCache::take_fill(const HomeAnswer& answer) {
  if (left_ || puts(answer.line)) return;
  Way* way = store_.find(answer.line);
  if (way != nullptr) return answer_awaited(*way, answer);
  way = store_.victim(answer.line);
  if (way == nullptr || !make_way(*way)) return;
  way->line = answer.line;
  store_.use(*way);
  copy_bytes(answer.data.data(), store_.bytes(*way), line_bytes());
  set(*way, answer.state);
}

/// Answers a read of the line that waits at the home.
void CoherentCache::answer_awaited(Way& way, const HomeAnswer& answer) {
  Miss& miss = *std::ranges::find(misses_, &way, &Miss::way);
  if (miss.access.kind != LineAccess::Kind::read || miss.filled) return;
  LineResult& result = begin_result(results[miss.port], miss.access);
  copy_bytes(answer.data.data() + offset_of(miss.access.addr), result.data.data(), miss.access.bytes);
  handed_on_ |= std::uint64_t{1} << miss.port;
  miss.filled = true;
}

void CoherentCache::hand_on_waiting() {
  for (std::size_t port = 0; port < waiting_.size(); ++port) {
    if (waiting_[port].empty() || !result_goes(port)) continue;
    hand_on(waiting_[port].front());
    waiting_[port].pop();
  }
}

void CoherentCache::hand_on(std::uint16_t place) {
  Miss& miss = misses_[place];
  miss.order = kNoWrite;
  LineResult& result = begin_result(results[miss.port], miss.access);
  const bool write = is_write(miss.access.kind);
  if (!write) copy_line(miss.access.data, result.data, result.bytes);
  ++(write ? writes_free_ : reads_free_);
  free_misses_.give(place);
  handed_on_ |= std::uint64_t{1} << miss.port;
  moved_ = true;
}

CoherentCache::Buffered* CoherentCache::in_buffer(std::uint64_t line) {
  if (buffered_ == 0) return nullptr;
  const auto found = std::ranges::find_if(buffer_, [&](const Buffered& one) { return one.taken && one.line == line; });
  return found == buffer_.end() ? nullptr : &*found;
}

void CoherentCache::answer_snoop() {
  const Snoop* asked = snoops.pull_in_place();
  if (asked == nullptr) return;
  const Snoop snoop = *asked;
  moved_ = true;
  SnoopAnswer& answer = snoop_answers.slot();
  answer.transaction = snoop.transaction;
  answer.wanted = snoop.data;
  answer.had = answer.has_data = answer.dirty = answer.buffered = false;
  if (Way* way = store_.find(snoop.line); way != nullptr && way->state != LineState::invalid)
    return answer_from(*way, snoop, answer);
  Buffered* buffered = in_buffer(snoop.line);
  if (buffered == nullptr || !buffered->valid) return;
  answer.has_data = answer.dirty = answer.buffered = true;
  copy_line(buffered->data, answer.data, spec_.line);
  buffered->valid = false;
  if (observer_ != nullptr) observer_->buffered(agent_, snoop.line, false, timer_.now());
}

void CoherentCache::answer_from(Way& way, const Snoop& snoop, SnoopAnswer& answer) {
  answer.had = true;
  answer.has_data = way.state >= LineState::forward;
  answer.dirty = way.state == LineState::modified;
  if (answer.has_data) copy_bytes(store_.bytes(way), answer.data.data(), line_bytes());
  if (snoop.invalidate)
    give_up(way);
  else
    set(way, LineState::shared);
}

void CoherentCache::look_up(std::size_t port) {
  const LineAccess* access = requests[port].front();
  if (access == nullptr) return;
  if (access->kind == LineAccess::Kind::fence) return fence(port, *access);
  const std::uint64_t line = line_of(access->addr);
  if (in_buffer(line) != nullptr) return;
  Way* way = store_.find(line);
  if (way != nullptr && way->awaited) return;
  if (access->kind == LineAccess::Kind::flush) return flush(port, *access, way);
  const bool write = is_write(access->kind);
  if (way != nullptr && (!write || may_write(way->state))) return hit(port, *access, *way);
  miss(port, *access, way);
}

void CoherentCache::hit(std::size_t port, const LineAccess& access, Way& way) {
  if (!result_goes(port)) return;
  if (observer_ != nullptr) observer_->looked_up(agent_, access, timer_.now());
  store_.use(way);
  LineResult& result = begin_result(results[port], access);
  perform(access, way, result);
  requests[port].pull_in_place();
  moved_ = true;
}

void CoherentCache::perform(const LineAccess& access, Way& way, LineResult& result) {
  std::byte* const at = store_.bytes(way) + offset_of(access.addr);
  if (!is_write(access.kind)) {
    copy_bytes(at, result.data.data(), access.bytes);
    return;
  }
  copy_bytes(access.data.data(), at, access.bytes);
  if (way.state != LineState::modified) set(way, LineState::modified);
}

void CoherentCache::flush(std::size_t port, const LineAccess& access, Way* way) {
  if (!result_goes(port) || (way != nullptr && !make_way(*way))) return;
  begin_result(results[port], access);
  requests[port].pull_in_place();
  moved_ = true;
}

/// Asks the home for a fence. All earlier write-backs and puts are at the home by then, whoever wrote the lines; the
/// fence does not wait for later writes of others.
void CoherentCache::fence(std::size_t port, const LineAccess& access) {
  std::optional<std::uint64_t>& before = fences_[port];
  if (!before) before = writes_;
  if (asked_ || writes_before(*before)) return;
  miss(port, access, nullptr);
  if (asked_) before.reset();
}

bool CoherentCache::writes_before(std::uint64_t order) const {
  if (writes_free_ == spec_.writes_in_flight) return false;
  const auto before = [order](const auto& one) { return one.order < order; };
  return std::ranges::any_of(misses_, before) || std::ranges::any_of(buffer_, before);
}

/// The request for an access, with a way for its line or without.
HomeRequest::Kind CoherentCache::request_of(const LineAccess& access, bool kept) const {
  using Kind = HomeRequest::Kind;
  if (access.kind == LineAccess::Kind::read) return Kind::read;
  if (access.kind == LineAccess::Kind::fence) return Kind::fence;
  if (!is_write(access.kind)) return Kind::read_once;
  if (!kept) return Kind::put;
  return access.bytes == spec_.line && !spec_.fetches_lines ? Kind::own : Kind::own_read;
}

void CoherentCache::miss(std::size_t port, const LineAccess& access, Way* way) {
  const bool write = is_write(access.kind);
  const bool kept = access.kind == LineAccess::Kind::read || access.kind == LineAccess::Kind::write;
  int& slots = write ? writes_free_ : reads_free_;
  if (asked_ || slots == 0 || !home_requests.room()) return;
  if (way == nullptr && kept) {
    way = store_.victim(line_of(access.addr));
    if (way == nullptr || !make_way(*way) || slots == 0) return;
    way->line = line_of(access.addr);
  }
  if (observer_ != nullptr) observer_->looked_up(agent_, access, timer_.now());
  --slots;
  ++under_way_;
  const std::uint16_t place = free_misses_.take();
  Miss& miss = misses_[place];
  miss.port = port;
  miss.way = way;
  miss.filled = false;
  miss.puts = access.kind == LineAccess::Kind::write_once && way == nullptr;
  if (write) miss.order = writes_++;
  miss.access = access;
  if (way != nullptr) {
    way->awaited = true;
    store_.use(*way);
  }
  const bool fence = access.kind == LineAccess::Kind::fence;
  const std::uint64_t line = fence ? kFenceLine - agent_ : line_of(access.addr);
  home_requests.push({.kind = request_of(access, way != nullptr), .miss = place, .line = line});
  requests[port].pull_in_place();
  asked_ = moved_ = true;
}

/// Whether a write of the line that is not kept is in flight: until it ends, the cache keeps nothing of the line.
bool CoherentCache::puts(std::uint64_t line) const {
  return std::ranges::any_of(misses_, [&](const Miss& miss) { return miss.puts && line_of(miss.access.addr) == line; });
}

/// Sends the bytes of a write that is not kept, after the home has granted it.
void CoherentCache::send_put() {
  if (!write_backs.room()) return;
  const std::uint16_t place = puts_.front();
  puts_.pop();
  const LineAccess& access = misses_[place].access;
  WriteBack& message = write_backs.slot();
  message.line = line_of(access.addr);
  copy_line(access.data, message.data, spec_.line);
  misses_[place].puts = false;
  waiting_[misses_[place].port].push(place);
  wrote_back_ = moved_ = true;
}

/// Whether the way is free now: a modified line needs a place in the write-back buffer, which takes a write slot.
bool CoherentCache::make_way(Way& way) {
  if (way.state == LineState::invalid) return true;
  if (hinted_ && is_watched(way.line)) return false;
  if (way.state == LineState::modified) {
    if (wrote_back_ || writes_free_ == 0 || !write_backs.room()) return false;
    --writes_free_;
    ++buffered_;
    ++under_way_;
    const std::uint16_t place = free_buffer_.take();
    Buffered& buffered = buffer_[place];
    buffered.taken = buffered.valid = true;
    buffered.line = way.line;
    buffered.order = writes_++;
    WriteBack& message = write_backs.slot();
    message.place = place;
    message.line = way.line;
    copy_bytes(store_.bytes(way), buffered.data.data(), line_bytes());
    copy_line(buffered.data, message.data, spec_.line);
    if (observer_ != nullptr) observer_->buffered(agent_, way.line, true, timer_.now());
    wrote_back_ = moved_ = true;
  }
  give_up(way);
  return true;
}

/// Tells the home when there are no clients any more, and ends with it.
void CoherentCache::leave() {
  if (left_) {
    over_ = snoops.closed();
    return;
  }
  if (reads_free_ < spec_.reads_in_flight || writes_free_ < spec_.writes_in_flight) return;
  for (auto& port : requests)
    if (!port.closed()) return;
  if (!home_requests.room()) return;
  home_requests.push({.kind = HomeRequest::Kind::leave, .miss = 0, .line = 0});
  left_ = moved_ = true;
}

}  // namespace isthmus::fabric
