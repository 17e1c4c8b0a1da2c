#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include "isthmus/engine/detail/silent_inputs.hpp"
#include "isthmus/engine/port.hpp"

namespace isthmus {
namespace engine {

/// The ports of an array of the actor under construction on this thread: ports made in `ports` belong to it.
struct PortRoom {
  std::byte* ports;
  SilentInputs* silent;
};
/// Makes room for the ports. Throws Error for a count below 0, and if no graph constructs an actor.
PortRoom room_for_ports(std::int64_t count, std::size_t port_bytes);

}  // namespace engine

/// Ports whose count is known when their actor is made: what arbiters, controllers and switches have. `Port` is an In
/// or an Out. Code for HLS has a std::array of them.
///
///     struct Switch {
///       PortArray<In<Packet>> in;
///       PortArray<Out<Packet>> out;
///       explicit Switch(int ports) : in(ports), out(ports) {}
///       ...
///     };
///     auto& crossbar = graph.add<Switch>("switch", {.clock = clock}, 48);
///     graph.connect(nic.out, crossbar.in[3]);
///
/// They are named by their places among the actor's ports as others are (`in3`), or `name[3]` where a name is given. An
/// array is no state of its actor, which may be copied trivially if the rest of it may: a copy is the same ports.
template <class Port>
class PortArray : private engine::Member {
  static_assert(std::is_base_of_v<engine::Port, Port> && std::is_trivially_destructible_v<Port>);

 public:
  using value_type = Port;

  template <std::integral Count>
  PortArray(Count count, const char* name = nullptr)
      : Member(Kind::ports, name, nullptr, sizeof(PortArray)), count_(static_cast<std::size_t>(count)) {
    const engine::PortRoom room = engine::room_for_ports(static_cast<std::int64_t>(count), sizeof(Port));
    std::byte* at = room.ports;
    ports_ = reinterpret_cast<Port*>(at);
    silent_ = room.silent;
    for (std::size_t i = 0; i < count_; ++i, at += sizeof(Port)) ::new (static_cast<void*>(at)) Port(name);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Port& operator[](std::size_t i) { return ports_[i]; }
  const Port& operator[](std::size_t i) const { return ports_[i]; }
  Port* begin() { return ports_; }
  Port* end() { return ports_ + count_; }
  const Port* begin() const { return ports_; }
  const Port* end() const { return ports_ + count_; }

  /// Polls the heads of all inputs, as `front` on each in turn would, and returns the places of the inputs that the
  /// caller has to poll itself: the others have no head at this tick. Arbiters use it, because inputs that are silent
  /// for long cost nothing.
  std::span<const std::uint32_t> poll_heads() requires requires(Port& port) { port.front(); }
  { return silent_->poll(); }

 private:
  Port* ports_ = nullptr;
  engine::SilentInputs* silent_ = nullptr;
  std::size_t count_;
};

}  // namespace isthmus
