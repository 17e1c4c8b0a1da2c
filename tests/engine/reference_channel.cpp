#include "engine/reference_channel.hpp"

namespace isthmus::reference {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t kSecond = 1'000'000'000'000'000;

}  // namespace

std::int64_t TickLine::time(Tick tick) const {
  if (!clock_) return tick;
  // (tick + p/q) * 1e15 * den / num, doubled and one added so that the division rounds halves up.
  const Wide numerator =
      (Wide(tick) * clock_->phase_denominator + clock_->phase_numerator) * kSecond * clock_->denominator;
  const Wide denominator = Wide(clock_->phase_denominator) * clock_->numerator;
  return static_cast<std::int64_t>((2 * numerator + denominator) / (2 * denominator));
}

Tick TickLine::at_or_after(std::int64_t instant) const {
  if (!clock_) return instant;
  Tick tick = static_cast<Tick>(Wide(instant) * clock_->numerator / (Wide(kSecond) * clock_->denominator));
  while (time(tick) < instant) ++tick;
  while (tick > 0 && time(tick - 1) >= instant) --tick;
  return tick;
}

bool TickLine::in_step_with(const TickLine& other) const {
  const ClockSpec &a = *clock_, &b = *other.clock_;
  if (!a.pll.empty() && a.pll == b.pll) return true;
  return Wide(a.numerator) * b.denominator == Wide(b.numerator) * a.denominator &&
         Wide(a.phase_numerator) * b.phase_denominator == Wide(b.phase_numerator) * a.phase_denominator;
}

Channel::Channel(const ChannelSpec& spec, TickLine writer, TickLine reader)
    : depth_(static_cast<std::size_t>(spec.depth)),
      latency_(spec.latency),
      return_latency_(spec.return_latency),
      synchroniser_(0),
      writer_(writer),
      reader_(reader) {
  if (writer.clocked() && reader.clocked())
    synchroniser_ = spec.synchroniser.value_or(writer.in_step_with(reader) ? 0 : 2);
}

Tick Channel::crossing(const TickLine& from, Tick tick, std::int64_t latency, const TickLine& to) const {
  return to.at_or_after(from.time(tick + latency)) + synchroniser_;
}

std::optional<Tick> Channel::room_for(std::size_t index) const {
  if (index < depth_) return 0;
  return index - depth_ < tokens_.size() ? tokens_[index - depth_].freed : std::nullopt;
}

std::optional<Tick> Channel::visible_from(std::size_t index) const {
  if (index < tokens_.size()) return tokens_[index].visible;
  return std::nullopt;
}

std::optional<Tick> Channel::closed_from(std::size_t popped) const {
  return popped == tokens_.size() ? close_visible_ : std::nullopt;
}

bool Channel::has_room(Tick writer_tick) const {
  const auto from = room_for(pushed());
  return from && *from <= writer_tick;
}

bool Channel::has_token(Tick reader_tick) const {
  const auto from = visible_from(popped_);
  return from && *from <= reader_tick;
}

bool Channel::is_closed(Tick reader_tick) const {
  const auto from = closed_from(popped_);
  return from && *from <= reader_tick;
}

void Channel::push(Tick writer_tick, Value value) {
  tokens_.push_back({value, writer_.time(writer_tick), crossing(writer_, writer_tick, latency_, reader_)});
}

Value Channel::pop(Tick reader_tick) {
  Token& token = tokens_[popped_++];
  token.freed = crossing(reader_, reader_tick, return_latency_, writer_);
  token.pop_time = reader_.time(reader_tick);
  return token.value;
}

void Channel::close(Tick writer_tick) {
  close_visible_ = crossing(writer_, writer_tick, latency_, reader_);
}

}  // namespace isthmus::reference
