#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "isthmus/engine/detail/actor.hpp"
#include "isthmus/engine/detail/fields.hpp"
#include "isthmus/engine/port.hpp"
#include "isthmus/engine/port_array.hpp"

/// The loop of steps of an actor that runs in real time.
namespace isthmus::engine {

template <class T>
concept HasDone = requires(T& actor) {
  { actor.done() } -> std::convertible_to<bool>;
};

/// The access of the loop of steps in real time to an actor's fields.
struct PortAccess {
  template <class T>
  static constexpr bool is_port = std::is_base_of_v<Port, T>;
  template <class T>
  static constexpr bool reads = false;
  template <class T>
  static constexpr bool moves = is_port<T>;

  template <class T>
  [[gnu::always_inline]] static bool open(const T& field) {
    if constexpr (is_port<T>) return field.state_.native.slots.open();
    return true;
  }
  template <class Port>
  [[gnu::always_inline]] static bool open(const PortArray<Port>& field) {
    return field.empty() || open(field[0]);
  }
  /// `field` belongs to a copy of the actor.
  template <class T>
  [[gnu::always_inline]] static void forget_model(T& field) {
    if constexpr (is_port<T>) {
      if (field.state_.native.ring_end == nullptr) __builtin_unreachable();
      field.state_.cursor = field.state_.window_end = field.state_.stop = nullptr;
    }
  }
  /// Copies field by field, with a barrier after each: the compiler would prepare joined stores at every step.
  template <class T>
  [[gnu::always_inline]] static void save(T& field, const T& from) {
    if constexpr (is_port<T>) {
      save(field.state_.native.slots.next, from.state_.native.slots.next);
      save(field.state_.native.slots.end, from.state_.native.slots.end);
    } else {
      field = from;
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }
};
template <class T>
inline constexpr bool PortAccess::reads<In<T>> = true;
template <class T>
inline constexpr bool PortAccess::reads<PortArray<In<T>>> = true;
template <class Port>
inline constexpr bool PortAccess::moves<PortArray<Port>> = true;

/// Tells whether `T` is a value that contains no address, as far as its type tells.
template <class T>
constexpr bool is_value() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Time>)
    return true;
  else if constexpr (requires { std::tuple_size<T>::value, std::declval<typename T::value_type>(); })  // std::array
    return is_value<typename T::value_type>();
  else if constexpr (count_fields<T>() != 0) {
    const auto values = []<class... Fields>(Fields&...) { return std::bool_constant<(is_value<Fields>() && ...)>(); };
    return std::is_same_v<decltype(with_fields(std::declval<T&>(), values)), std::true_type>;
  } else
    return false;
}

/// Tells whether nothing in such an actor can point into it, and all its fields are known.
template <class T>
constexpr bool may_stand_elsewhere() {
  if constexpr (count_fields<T>() != 0) {
    const auto values = []<class... Fields>(Fields&...) {
      return std::bool_constant<((std::is_base_of_v<Member, Fields> || is_value<Fields>()) && ...)>();
    };
    return std::is_same_v<decltype(with_fields(std::declval<T&>(), values)), std::true_type>;
  } else
    return false;
}

/// Tells whether an actor can be stepped as a copy in the loop's own frame. Nothing else can reach that copy, so that
/// its ports and its state stay in registers from step to step. Otherwise each step would store and load them again,
/// which takes longer than a short step itself.
template <class T>
concept SteppedAsCopy = std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> &&
                            std::is_copy_assignable_v<T> && sizeof(T) <= 512 &&
                        may_stand_elsewhere<T>();

/// The port that a step is most likely to wait at: the first input, or the first output where there is no input.
template <class... Fields>
constexpr std::size_t lead_of() {
  constexpr bool reads = (PortAccess::reads<Fields> || ...);
  constexpr std::array is_one{(reads ? PortAccess::reads<Fields> : PortAccess::moves<Fields>)...};
  std::size_t at = 0;
  while (at < is_one.size() && !is_one[at]) ++at;
  return at;
}

/// A copy of an actor, whose ports move tokens on the ends of rings only.
template <class T>
class Copy {
 public:
  [[gnu::always_inline]] explicit Copy(const T& actor) : actor_(actor) {
    with_fields(actor_, [](auto&... field) { (PortAccess::forget_model(field), ...); });
  }
  T& actor() { return actor_; }
  [[gnu::always_inline]] bool lead_open() const {
    return with_fields(actor_, []<class... Fields>(const Fields&... field) {
      constexpr std::size_t lead = lead_of<Fields...>();
      std::size_t at = 0;
      return ((at++ != lead || PortAccess::open(field)) && ...);
    });
  }
  [[gnu::always_inline]] void save(T& to) const {
    with_fields(actor_, [&](const auto&... from) {
      with_fields(to, [&](auto&... field) { (PortAccess::save(field, from), ...); });
    });
  }

 private:
  T actor_;
};

/// Steps `actor` until it has finished or leaves. `save` is called before anyone looks at it.
template <class T, class LeadOpen, class Save>
[[gnu::always_inline]] inline void loop_native(T& actor, NativeContext& self, const LeadOpen& lead_open,
                                               const Save& save) {
  constexpr int kStepsBetweenChecks = 4096;  // steps between two looks at an actor that never polls in vain
  for (int steps_left = kStepsBetweenChecks;;) {
    if constexpr (HasDone<T>) {
      if (actor.done()) {
        save();
        return self.finish();
      }
    }
    const bool open = lead_open();
    if (!open || steps_left == 0) [[unlikely]] {
      save();
      if (self.before_next_step(open) == AtBoundary::leave) return;
      steps_left = kStepsBetweenChecks;
    }
    actor.step();
    --steps_left;
    if (self.look) [[unlikely]] {
      if (self.after_step()) steps_left = 0;
    }
  }
}

template <class T>
void step_native(T& actor, NativeContext& self) {
  if constexpr (SteppedAsCopy<T>) {
    Copy<T> copy(actor);
    const auto save = [&] { copy.save(actor); };
    try {
      loop_native(
          copy.actor(), self, [&] { return copy.lead_open(); }, save);
    } catch (...) {
      save();
      throw;
    }
  } else {
    loop_native(
        actor, self, [lead = self.lead] { return lead == nullptr || lead->slots.open(); }, [] {});
  }
}

}  // namespace isthmus::engine
