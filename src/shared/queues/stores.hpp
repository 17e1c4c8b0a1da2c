#pragma once

#include <cstdint>

#include "isthmus/shared/host_core.hpp"

/// The stores that leave a core while it goes on with its work: its store buffer, in order.
namespace isthmus::queues {

/// Stores that a core has before it waits: the store buffer of a Broadwell core has 42 entries (Intel 64 and IA-32
/// Architectures Optimization Reference Manual, 2.4.4).
inline constexpr int kStores = 42;

/// Writes them to memory through the host's cache.
struct LineStores {
  In<Store> stores{"stores"};
  Out<fabric::LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  bool over = false;

  void step();
  bool done() const { return over; }
};

/// Stores to a register of the circuit, each of which takes so long.
struct RegisterStores {
  In<Store> stores{"stores"};
  Out<Store> registers{"registers"};
  Timer timer;
  Time each;
  bool over = false;

  explicit RegisterStores(Time of_each) : each(of_each) {}
  void step();
  bool done() const { return over; }
};

/// A word of a line.
std::uint64_t word_of(const fabric::LineBytes& line, std::size_t place);

}  // namespace isthmus::queues
