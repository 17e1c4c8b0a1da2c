#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <typeinfo>

#include "isthmus/engine/detail/channel.hpp"

/// What ports, timers and the like are to the graph, and how a channel keeps its tokens whatever their type.
namespace isthmus::engine {

struct TokenType;

/// A port, array of ports, timer, random source or occupancy inside an actor: it reports itself to the graph that
/// constructs the actor.
class Member {
 public:
  enum class Kind : std::uint8_t { in, out, ports, timer, random, occupancy };

 protected:
  Member(Kind kind, const char* name, const TokenType* type, std::size_t size);
};

/// A member that moves tokens.
class Port : public Member {
 protected:
  using Member::Member;
};

/// The alignment of a token in its slot. A token of whole cache lines is aligned to a line, because it is copied by
/// loads and stores of up to a line, and one across two lines costs two.
template <class T>
constexpr std::size_t token_alignment() {
  constexpr std::size_t kLine = 64;
  return sizeof(T) % kLine == 0 && alignof(T) < kLine ? kLine : alignof(T);
}
/// The place of the token in its slot, and the bytes of a slot.
template <class T>
constexpr std::size_t value_offset() {
  return std::max(token_alignment<T>(), sizeof(SlotHeader));
}
template <class T>
constexpr std::size_t slot_bytes() {
  const std::size_t unit = std::max(token_alignment<T>(), alignof(SlotHeader));
  return (value_offset<T>() + sizeof(T) + unit - 1) / unit * unit;
}

/// The properties on which two ends of a channel must agree.
struct TokenType {
  const std::type_info* type;
  std::size_t slot_bytes;  ///< bytes of a slot on the model
  std::size_t size;
};
template <class T>
inline const TokenType kTokenType{&typeid(T), slot_bytes<T>(), sizeof(T)};

/// The token that stands in a channel's `slot`.
template <class T>
const T& token_at(const std::byte* slot) {
  return *std::launder(reinterpret_cast<const T*>(slot + value_offset<T>()));
}

}  // namespace isthmus::engine
