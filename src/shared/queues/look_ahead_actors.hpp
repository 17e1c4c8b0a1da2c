#pragma once

#include <cstdint>
#include <deque>

#include "isthmus/engine/port_array.hpp"
#include "isthmus/fabric/coherence/coherent_cache.hpp"
#include "isthmus/shared/queues/look_ahead.hpp"
#include "shared/queues/stores.hpp"

/// The circuit that reads the next lines of a core ahead.
namespace isthmus::queues {

/// The shared data of core and circuit. A core hands over a number, 1 and up, and the line's address.
struct LookAheadWork {
  const LookAhead& what;
  const fabric::SharedSpace& space;
  std::uint64_t data;  ///< address of the data for the circuit
  std::uint64_t mailbox;
  int line;  ///< bytes of a line

  std::uint64_t address_of(std::size_t place) const {
    return data + std::uint64_t{what.lines[place]} * static_cast<std::uint64_t>(line);
  }
};

/// Handed over at the end, in the place of an address.
inline constexpr std::uint64_t kNoMore = ~std::uint64_t{0};

/// The circuit: takes what is handed over, by whatever way, and reads the line through its cache, for nothing but that.
struct Prefetcher {
  Out<fabric::LineAccess> accesses{"accesses"};
  In<fabric::LineResult> results{"results"};
  PortArray<In<Store>> registers;      ///< one port with `mmio`
  PortArray<In<std::uint16_t>> hints;  ///< one port with `umsg`
  Timer timer;
  const LookAheadWork& work;

  explicit Prefetcher(const LookAheadWork& of);
  void step();
  bool done() const { return over_ && to_fetch_.empty() && under_way_ == 0; }

 private:
  bool take_result();
  bool take_register();
  bool take_hint();
  bool ask();
  void heard(std::uint64_t number, std::uint64_t address);
  bool has_mailbox() const { return registers.empty(); }

  std::deque<std::uint64_t> to_fetch_;  ///< addresses of the lines to fetch
  std::uint64_t heard_ = 0;             ///< number of the last line that the circuit heard of
  int under_way_ = 0;
  bool mail_under_way_ = false;
  bool look_ = true;  ///< whether to read the mailbox again: the first read brings its line into the circuit's cache
  bool over_ = false;
};

}  // namespace isthmus::queues
