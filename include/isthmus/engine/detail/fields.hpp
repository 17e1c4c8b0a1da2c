#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

/// The fields of plain structs, as far as C++20 can tell them.
namespace isthmus::engine {

/// Converts to every type that a field of `Of` may have, but neither to `Of` itself nor to a base of it.
template <class Of, std::size_t = 0>
struct AnyField {
  template <class T>
  requires(!std::is_base_of_v<T, Of>) operator T() const;
};

template <class T, std::size_t... n>
constexpr bool has_fields(std::index_sequence<n...>) {
  // Braces may be left out within braces, so that each element of an array counts, but not within parentheses.
  constexpr bool counted = requires {
    T{AnyField<T, n>()...};
    T(AnyField<T, n>()...);
  };
  constexpr bool more = requires {
    T{AnyField<T, n>()..., AnyField<T>()};
  }
  || requires {
    T{AnyField<T, n>()..., {}};
  };
  return counted && !more;
}

/// The number of fields of `T`; 0 if that cannot be told: for more than eight fields, bases, private fields, C arrays,
/// and types that are no aggregates.
template <class T, std::size_t n = 1>
constexpr std::size_t count_fields() {
  if constexpr (!std::is_aggregate_v<T> || n > 8)
    return 0;
  else if constexpr (has_fields<T>(std::make_index_sequence<n>()))
    return n;
  else
    return count_fields<T, n + 1>();
}

/// Calls `visit` with all fields of `object`, whose number is known; returns nothing if it cannot be called with them,
/// because there is no reference to a bit-field.
template <class T, class Visit>
[[gnu::always_inline]] constexpr decltype(auto) with_fields(T& object, const Visit& visit) {
  constexpr std::size_t fields = count_fields<std::remove_const_t<T>>();
  static_assert(fields != 0);
  if constexpr (fields == 1) {
    auto& [a] = object;
    if constexpr (requires { visit(a); }) return visit(a);
  } else if constexpr (fields == 2) {
    auto& [a, b] = object;
    if constexpr (requires { visit(a, b); }) return visit(a, b);
  } else if constexpr (fields == 3) {
    auto& [a, b, c] = object;
    if constexpr (requires { visit(a, b, c); }) return visit(a, b, c);
  } else if constexpr (fields == 4) {
    auto& [a, b, c, d] = object;
    if constexpr (requires { visit(a, b, c, d); }) return visit(a, b, c, d);
  } else if constexpr (fields == 5) {
    auto& [a, b, c, d, e] = object;
    if constexpr (requires { visit(a, b, c, d, e); }) return visit(a, b, c, d, e);
  } else if constexpr (fields == 6) {
    auto& [a, b, c, d, e, f] = object;
    if constexpr (requires { visit(a, b, c, d, e, f); }) return visit(a, b, c, d, e, f);
  } else if constexpr (fields == 7) {
    auto& [a, b, c, d, e, f, g] = object;
    if constexpr (requires { visit(a, b, c, d, e, f, g); }) return visit(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = object;
    if constexpr (requires { visit(a, b, c, d, e, f, g, h); }) return visit(a, b, c, d, e, f, g, h);
  }
}

}  // namespace isthmus::engine
