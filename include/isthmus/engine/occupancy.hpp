#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "isthmus/engine/port.hpp"

namespace isthmus {

namespace engine {

class OccupancyAccess;
class Wiring;

/// The way in which entries come back to the actor that hands them out: with the tokens of one of its inputs.
struct Returns {
  const PortState* port = nullptr;  ///< none: the actor says itself when they are back
  std::int64_t (*amount)(const std::byte* slot) = nullptr;
  bool stocked = false;  ///< the first tokens bring new entries, which nobody has taken before
};

}  // namespace engine

/// Counts entries of which a limited number can be in flight: tags, credits, buffers of a pool. The actor that grants
/// them keeps the count: it says when it takes some, and when some are back. Nothing depends on the count: it is no
/// state of the actor, and in real time it is not kept.
///
///     Occupancy tags{"tags", 32, Occupancy::with(freed_tags)};
///     ...
///     if (none_left) { freed_tags.read(); tags.came_back(); }
///     tags.take();
///
/// What comes back counts from when the actor could have seen it, however late it looks, or never.
class Occupancy : private engine::Member {
 public:
  /// `name` is what reports call the entries; `size` is how many there are.
  Occupancy(const char* name, std::int64_t size, engine::Returns returns = {})
      : Member(Kind::occupancy, name, nullptr, sizeof(Occupancy)), returns_(returns), name_(name), size_(size) {}

  /// Declares that each token of `port` brings back an entry, or `amount(token)` of them.
  template <auto amount = nullptr, class T>
  static engine::Returns with(const In<T>& port) {
    const auto counted = [](const std::byte* slot) -> std::int64_t {
      if constexpr (std::is_null_pointer_v<decltype(amount)>)
        return 1;
      else
        return std::invoke(amount, engine::token_at<T>(slot));
    };
    return {.port = &port.state_, .amount = counted};
  }
  /// Declares the same, for entries that lie in the channel to `port` at first.
  template <class T>
  static engine::Returns stocked(const In<T>& port) {
    engine::Returns returns = with(port);
    returns.stocked = true;
    return returns;
  }

  /// Sets the number of entries if the graph knows it and the actor does not. Call it before the run.
  void resize(std::int64_t size) { size_ = size; }

  /// Takes entries now.
  void take(std::int64_t amount = 1) {
    if (kept()) took(now(), amount);
  }
  /// Says how many entries are taken next; without a call, as many as the last time.
  void want(std::int64_t amount) { wanted_ = amount; }
  /// Gives entries back now.
  void give(std::int64_t amount = 1) {
    if (kept()) gave(now(), amount);
  }
  /// Gives back what the last token from the input of the returns has brought. It counts from when that token could be
  /// seen.
  void came_back() {
    if (kept()) returned(last_token());
  }
  /// Gives back an entry that came with the last token from `port`, which is one of several inputs.
  template <class T>
  void came_back_with(const In<T>& port) {
    if (kept()) gave(came(port.state_, last_token(port.state_)), 1);
  }
  /// Says that an entry waited from `begin` to `end`, which is now or before.
  void waited(Time begin, Time end) {
    if (!kept()) return;
    took(begin.femtoseconds(), 1);
    gave(end.femtoseconds(), 1);
  }
  /// Says that entries are under way from `begin` to `end`, and that there has been room for them since `room`, if they
  /// had to wait for it. An actor calls it that knows in advance when they will be back.
  void hold(Time room, Time begin, Time end, std::int64_t amount);

 private:
  friend class engine::Wiring;
  friend class engine::OccupancyAccess;

  bool kept() const { return actor_ != nullptr && actor_->native == nullptr; }
  std::int64_t now() const { return actor_->grid.edge(engine::running_now); }
  static std::uint64_t last_token(const engine::PortState& port) { return port.channel->popped() - 1; }
  std::uint64_t last_token() const { return last_token(*returns_.port); }
  static std::int64_t came(const engine::PortState& port, std::uint64_t token) {
    return port.actor->grid.edge(port.channel->visible(token));
  }
  bool full() const { return size_ - held_ < wanted_; }
  void took(std::int64_t at, std::int64_t amount);
  void gave(std::int64_t at, std::int64_t amount);
  void returned(std::uint64_t token);
  void tell(std::int64_t at, std::int64_t change) const;

  const engine::Actor* actor_ = nullptr;
  engine::Returns returns_;
  const char* name_;
  std::int64_t size_;
  std::int64_t held_ = 0;    ///< entries under way, as far as the actor has looked
  std::int64_t wanted_ = 1;  ///< entries that are taken next
  std::int64_t taken_ = 0;
  std::int64_t since_ = 0;  ///< time of the last taking
  std::int64_t room_ = 0;  ///< time since which there has been room for the next entries, if there was none at `since_`
  std::int64_t full_ = 0;  ///< femtoseconds before `since_` without room for the next entries
  __extension__ __int128 entry_time_ = 0;  ///< femtoseconds that all entries were under way: ends minus begins
};

}  // namespace isthmus
