#include "isthmus/engine/detail/spans.hpp"

namespace isthmus::engine {
namespace {

bool alike(const Span& last, const Span& span) {
  const Tick length = span.end - span.begin;
  return last.activity == span.activity && last.period == span.period &&
         (span.period == 0 || length % span.period == 0);
}

}  // namespace

std::int64_t PeriodicSpan::length(Tick spans, const Grid& grid) const {
  if (grid.even()) return spans * grid.between(first.begin, first.end);
  std::int64_t sum = 0;
  for (Tick i = 0; i < spans; ++i) sum += grid.between(at(i).begin, at(i).end);
  return sum;
}

void Spans::add(const Span& span) {
  if (prolong(span)) return;
  count_last();
  PeriodicSpan& last = end_[-1];
  const Span before = last.last();
  if (before.end != span.begin || !alike(before, span)) {
    append(span);
    return;
  }
  next_begin_ = kNever;
  if (last.count == 1) {
    last.first.end = span.end;
    return;
  }
  --last.count;
  append({before.begin, span.end, span.period, span.activity});
}

/// The next span is expected at the distance that this one has from the one before.
void Spans::append(const Span& span) {
  if (end_ == limit_) grow();
  const Tick length = span.end - span.begin;
  every_ = span.begin - end_[-1].last().begin;
  length_ = told_apart(span);
  *end_++ = {span, every_, 1};
  next_begin_ = every_ > length ? span.begin + every_ : kNever;
}

void Spans::drop(Tick tick) {
  count_last();
  PeriodicSpan* to = first();
  const PeriodicSpan* kept =
      std::find_if(to, end_, [&](const PeriodicSpan& periodic) { return periodic.last().end > tick; });
  end_ = std::copy<const PeriodicSpan*>(kept, end_, to);
  if (limit_ - end_ < end_ - to) {
    grow();
    to = first();
  }
  if (end_ == to) {
    next_begin_ = kNever;
    return;
  }
  const Tick ended = to->ended_by(tick);
  *to = {to->at(ended), to->every, to->count - ended};
}

void Spans::grow() {
  constexpr std::size_t kFirst = 32;
  const std::size_t kept = storage_ == nullptr ? 0 : static_cast<std::size_t>(end_ - first());
  const std::size_t room = std::max(kFirst, 2 * kept);
  auto larger = std::make_unique<PeriodicSpan[]>(room + 1);
  larger[0] = {{-1, -1, 0, Activity::busy}, 0, 1};
  if (kept != 0) std::copy(first(), end_, larger.get() + 1);
  storage_ = std::move(larger);
  end_ = storage_.get() + 1 + kept;
  limit_ = storage_.get() + 1 + room;
}

}  // namespace isthmus::engine
