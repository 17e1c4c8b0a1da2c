#pragma once

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

/// One that moves tokens.
class Port : public Member {
 protected:
  using Member::Member;
};

/// Where in a slot the token stands, and how many bytes a slot takes.
constexpr std::size_t value_offset(std::size_t alignment) {
  return alignment > sizeof(SlotHeader) ? alignment : sizeof(SlotHeader);
}
constexpr std::size_t slot_bytes(std::size_t size, std::size_t alignment) {
  const std::size_t unit = alignment > alignof(SlotHeader) ? alignment : alignof(SlotHeader);
  return (value_offset(alignment) + size + unit - 1) / unit * unit;
}

/// What two ends of a channel must agree on.
struct TokenType {
  const std::type_info* type;
  std::size_t slot_bytes;  ///< on the model
  std::size_t size;
};
template <class T>
inline const TokenType kTokenType{&typeid(T), slot_bytes(sizeof(T), alignof(T)), sizeof(T)};

/// The token that stands in a channel's `slot`.
template <class T>
const T& token_at(const std::byte* slot) {
  return *std::launder(reinterpret_cast<const T*>(slot + value_offset(alignof(T))));
}

}  // namespace isthmus::engine
